"""What deploy/ says is right: YAML and units are sound, and every command line is one that the command takes.

    files_test.py COMMAND    the armature that was built
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import yaml

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
COMMAND = ""


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=120, **more)


def unit_lines(unit, key):
    return [line.split("=", 1)[1] for line in unit.read_text().splitlines() if line.startswith(key + "=")]


def installed_in_image():
    last_stage = (DEPLOY / "Dockerfile").read_text().split("\nFROM ")[-1].replace("\\\n", " ")
    words = re.search(r"apt-get install ([^&]*)", last_stage).group(1).split()
    return {word for word in words if not word.startswith("-")}


def package_of(library):
    """Debian has merged /lib into /usr/lib, but not in what it knows about files."""
    for path in (library, "/usr" + library):
        owner = run("dpkg", "-S", path)
        if owner.returncode == 0:
            return owner.stdout.split(":")[0]
    raise AssertionError(f"no package has {library}")


def command_lines():
    """(where it stands, its words after `armature`), of all files."""
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    for name, service in compose["services"].items():
        if "command" in service:
            yield f"compose.yaml, {name}", service["command"]
    for part in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()):
        for container in part.get("spec", {}).get("template", {}).get("spec", {}).get("containers", []):
            yield f"kubernetes.yaml, {container['name']}", container["args"]
    for words in re.findall(r"^CMD (\[.*\])$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE):
        yield "Dockerfile", json.loads(words)
    for unit in UNITS:
        for line in unit_lines(unit, "ExecStart"):
            yield unit.name, shlex.split(line)[1:]
    # What the options of a unit's environment add, and what people are told to type.
    for line in (DEPLOY / "systemd" / "node.env").read_text().splitlines():
        for words in re.findall(r"ARMATURE_OPTIONS=(.*)|or: (--.*)", line):
            yield "node.env", ["serve"] + shlex.split("".join(words))
    for file in [*DEPLOY.glob("*.yaml"), *UNITS]:
        for words in re.findall(r"^#.*?armature (service [a-z]+ [^\n#,:]*)", file.read_text(), re.MULTILINE):
            yield f"{file.name}, a remark", shlex.split(words)


class Yaml(unittest.TestCase):
    def test_is_well_formed(self):
        files = sorted(DEPLOY.glob("*.yaml"))
        self.assertEqual(len(files), 3)
        found = run("yamllint", "--strict", "-c", DEPLOY / ".yamllint", *files)
        self.assertEqual((found.returncode, found.stdout + found.stderr), (0, ""))

    def test_labels_and_names_go_together(self):
        parts = {}
        for part in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()):
            parts.setdefault(part["kind"], []).append(part)
        nodes = parts["StatefulSet"][0]["spec"]
        labels = nodes["template"]["metadata"]["labels"]
        self.assertEqual(nodes["selector"]["matchLabels"], labels)
        self.assertEqual(parts["PodDisruptionBudget"][0]["spec"]["selector"]["matchLabels"], labels)
        for service in parts["Service"]:
            self.assertEqual(service["spec"]["selector"], labels)
        self.assertIn(nodes["serviceName"], [service["metadata"]["name"] for service in parts["Service"]])
        # Enough time to drain in, after the pause before it.
        pod = nodes["template"]["spec"]
        pause = int(pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
        self.assertGreaterEqual(pod["terminationGracePeriodSeconds"], pause + 30)
        secret = parts["Secret"][0]
        for kind in ("StatefulSet", "Job"):
            container = parts[kind][0]["spec"]["template"]["spec"]["containers"][0]
            store = [one for one in container["env"] if one["name"] == "ARMATURE_STORE"]
            wanted = store[0]["valueFrom"]["secretKeyRef"]
            self.assertEqual(wanted["name"], secret["metadata"]["name"])
            self.assertIn(wanted["key"], secret["stringData"])


class Workflow(unittest.TestCase):
    def test_makes_and_publishes_the_site(self):
        (job,) = yaml.safe_load((DEPLOY / "site.yaml").read_text())["jobs"].values()
        made = [step["run"].split()[1:] for step in job["steps"] if step.get("run", "").startswith("make ")]
        self.assertEqual(made, [["site"]])
        makefile = (DEPLOY.parent / "Makefile").read_text()
        recipe = re.search(r"(?m)^site:.*\n((?:\t.*\n)+)", makefile).group(1)
        published = [step["with"]["path"] for step in job["steps"] if "upload-pages-artifact" in step.get("uses", "")]
        self.assertEqual(len(published), 1)
        self.assertIn(f" {published[0]} ", recipe)
        # Debian's own packages are what scripts/install-deps knows.
        self.assertEqual(job["container"], "debian:12")


class Units(unittest.TestCase):
    def verified(self, texts):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / name for name in texts]
            for path in paths:
                path.write_text(texts[path.name].replace("/usr/bin/armature", COMMAND))
            found = run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *paths)
            return found.stdout + found.stderr + (f"status {found.returncode}" if found.returncode else "")

    def test_are_what_systemd_takes(self):
        texts = {unit.name: unit.read_text() for unit in UNITS}
        self.assertEqual(sorted(texts), ["armature-node@.service", "armature-service.service"])
        self.assertEqual(self.verified(texts), "")

    def test_mistakes_would_be_seen(self):
        text = (DEPLOY / "systemd" / "armature-service.service").read_text()
        for right, wrong in [("RestartSec=1", "RestartSecond=1"), ("Restart=always", "Restart=sometimes"),
                             ("ExecStart=/usr/bin/armature", "ExecStart=/usr/bin/amature"),
                             ("ProtectClock=yes", "ProtectClock=maybe")]:
            self.assertIn(right, text)
            self.assertNotEqual(self.verified({"armature-service.service": text.replace(right, wrong)}), "", wrong)

    def test_are_shut_off_from_the_machine(self):
        for unit in UNITS:
            found = run("systemd-analyze", "security", "--offline=yes", "--threshold=20", "--no-pager", unit)
            self.assertEqual(found.returncode, 0, found.stdout + found.stderr)


class CommandLines(unittest.TestCase):
    def test_are_ones_that_the_command_takes(self):
        lines = list(command_lines())
        self.assertGreaterEqual(len(lines), 10)
        for where, words in lines:
            with self.subTest(where, words=words):
                verbs = []
                for word in words[:2]:
                    if not re.fullmatch("[a-z]+", word):
                        break
                    verbs.append(word)
                told = run(COMMAND, *verbs, "--help").stdout
                self.assertIn(f"armature {' '.join(verbs)} ", told.partition("Usage: ")[2], "no such command")
                known = set(re.findall(r"(?m)^  (?:-[a-z],)?(--[a-z-]+)", told))
                self.assertEqual({word for word in words if word.startswith("-")} - known, set(), "no such options")


class Image(unittest.TestCase):
    def test_has_the_libraries_that_the_command_needs(self):
        # Those it names itself: what they need in turn comes with their packages.
        named = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", COMMAND).stdout)
        paths = dict(re.findall(r"(\S+) => (/\S+)", run("ldd", COMMAND).stdout))
        needed = {package_of(paths[name]) for name in named if name in paths}
        self.assertEqual(installed_in_image(), needed - {"libc6"})  # every image has that one

    def test_health_is_told_as_compose_asks(self):
        compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
        kind, *words = compose["services"]["node-1"]["healthcheck"]["test"]
        self.assertEqual(kind, "CMD")
        with tempfile.TemporaryDirectory() as store:
            with subprocess.Popen([COMMAND, "serve", store, "--listen", "127.0.0.1:0"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
                try:
                    port = server.stdout.readline().rsplit(":", 1)[1].strip()
                    asked = [word.replace("/8600", "/" + port) for word in words]
                    self.assertEqual(run(*asked).returncode, 0)
                finally:
                    server.terminate()
            self.assertEqual(server.returncode, 0)
            self.assertNotEqual(run(*asked).returncode, 0)


if __name__ == "__main__":
    COMMAND = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
