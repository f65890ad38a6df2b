// What there is to compute with: is my GPU seen, and what would it play?
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "armature/error.h"
#include "armature/families.h"
#include "base/machine.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "cuda/open.h"

namespace armature::cli {
namespace {

// A world and a horizon of the ordinary kind; what is extraordinary in a study is told when it
// runs.
constexpr const char* kWorld = "hidden-arm";
constexpr Round kHorizon = 10'000;

// Per policy with its defaults: why the accelerator does not play it; empty: it does.
std::map<std::string, std::string> obstacles(const Accelerator& accelerator) {
  const InstanceSource source(kWorld, kHorizon, 1);
  const auto world = std::make_shared<const World>(source.instance(0), kHorizon);
  Cell cell;
  cell.world = [world](std::uint32_t) { return world; };
  cell.horizon = kHorizon;
  cell.checkpoints = {kHorizon};
  cell.engine = Engine::kCuda;
  std::map<std::string, std::string> found;
  for (const PolicyEntry& entry : policies()) {
    cell.policy = canonical_policy(entry.facts.name, world->problem.formula_variables());
    found[entry.facts.name] = accelerator.obstacle(cell, *world);
  }
  return found;
}

struct Seen {
  unsigned cores = cores_given();
  std::string why_no_gpu = {};
  std::string name = {};
  unsigned gpus = 0;
  std::map<std::string, std::string> policies = {};
};

Seen look() {
  Seen seen;
  try {
    const std::shared_ptr<Accelerator> accelerator = cuda::open_accelerator(seen.cores);
    seen.name = accelerator->name();
    seen.gpus = accelerator->devices();
    seen.policies = obstacles(*accelerator);
  } catch (const Error& error) {
    seen.why_no_gpu = error.what();
  }
  return seen;
}

std::string as_json(const Seen& seen) {
  nlohmann::ordered_json json{{"cores", seen.cores}, {"gpus", seen.gpus}};
  if (seen.gpus == 0) {
    json["why"] = seen.why_no_gpu;
    return json.dump(2) + "\n";
  }
  json["name"] = seen.name;
  json["policies"] = nlohmann::ordered_json::object();
  for (const auto& [policy, why] : seen.policies) json["policies"][policy] = why;
  return json.dump(2) + "\n";
}

std::string as_text(const Seen& seen) {
  std::string out = counted(seen.cores, "core") + "\n";
  if (seen.gpus == 0) return out + prose("no GPU: " + seen.why_no_gpu, screen());
  out += prose(fmt::format("{}: {}", counted(seen.gpus, "GPU"), seen.name), screen());
  std::vector<std::string> there;
  std::string not_there;
  for (const auto& [policy, why] : seen.policies) {
    if (why.empty())
      there.push_back(policy);
    else
      not_there += prose(fmt::format("  {}: {}", policy, why), screen());
  }
  out += "\n" + prose("Engine cuda computes there: " + join(there, ", "), screen());
  if (!not_there.empty()) out += "\nand steps on the CPU:\n" + not_there;
  return out;
}

}  // namespace

void add_devices(CLI::App& app) {
  auto format = std::make_shared<std::string>("text");
  CLI::App* command =
      app.add_subcommand("devices", "the cores and GPUs there are, and what a GPU would compute");
  command->add_option("--format,-f", *format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  armature devices\n"
      "  armature devices --format json");
  command->callback([format] {
    const Seen seen = look();
    emit(std::nullopt, *format == "json" ? as_json(seen) : as_text(seen));
  });
}

}  // namespace armature::cli
