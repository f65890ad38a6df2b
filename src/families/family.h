// What the families share: declared keys, the two blocks of contexts, and the rows of the table.
#pragma once

#include "armature/families.h"

namespace armature {

/// One row of the table in registry.cpp per file of this room.
Family pareto_benign_family();
Family pareto_confounded_family();
Family agnostic_family();
Family pe_trap_family();
Family bilodeau_benign_family();
Family bilodeau_confounded_family();
Family hidden_arm_family();
Family random_benign_family();
Family semi_benign_family();
Family near_tie_family();
Family rare_context_family();
Family nearly_benign_family();
Family reversed_family();
Family many_hidden_family();
Family all_confounded_family();
Family lone_leader_family();

Parameter actions_key(double at_least = 2);
Parameter contexts_key(double at_least, const std::string& default_count);
/// `arm=` of the families with one odd arm: its number, `last`, or `none` for the base member.
Parameter odd_arm_key();
/// The odd arm asked for, or nothing for the base member. Arm 0 is the benign optimum and refused.
std::optional<Arm> odd_arm(const Arguments& arguments);

/// The horizon, for a default that needs it; asks for it or for the key when there is none.
Round horizon_for(const FamilyRequest& request, const std::string& key);

/// Every action reaches every context equally often: the contexts tell nothing.
Matrix uniform_marginals(std::size_t actions, std::size_t contexts);

/// Z_0 of the paper's constructions: the first max(1, ⌊|Z|/2⌋) contexts.
std::uint32_t first_block(std::uint32_t contexts);
/// P(Z ∈ Z_0) = first_block_mass for each action, uniform inside Z_0 and inside its complement.
Matrix two_block_marginals(std::uint32_t contexts, const std::vector<double>& first_block_mass);

/// A remark for gaps beyond those the paper's proofs use (Δ < 1/40).
void note_large_gap(Instance::Parts& parts, double gap);

/// Marginals at L1 distance ε from the true ones, for every action (`epsilon`, `perturbation`).
Matrix random_perturbation(const Matrix& marginals, double epsilon, Stream& stream);
/// The same, but where a row has no room for ε, as far from it as marginals can be.
Matrix random_marginals_within(const Matrix& marginals, double epsilon, Stream& stream);
/// Moves mass so that the best action looks worse and every other action looks better.
Matrix adversarial_perturbation(const Instance& instance, const Matrix& marginals, double epsilon);

}  // namespace armature
