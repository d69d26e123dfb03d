"""Words in, words out: usage, exit status, help, what is printed where, completions, the manual page."""

import json
import os
import pty
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from program import DRENCH, Case, needs

COMMANDS = ["run", "check", "params", "materials", "info", "validate", "bench", "help"]


class Usage(Case):
    def test_bad_usage_is_status_2_and_names_the_nearest(self):
        for words, wanted in [
                ([], "drench run SCENE"),
                (["rum"], 'did you mean "run"'),
                (["--verson"], "no option --verson"),
                (["run"], "SCENE is missing"),
                (["run", "a", "b"], '"b" is too much'),
                (["run", "a", "--frame", "3"], "did you mean --frames"),
                (["run", "a", "-x"], "no option -x"),
                (["run", "a", "--frames"], "--frames needs N"),
                (["run", "a", "--frames", "many"], "whole number"),
                (["run", "a", "--frames=-1"], "whole number"),
                (["run", "a", "--until", "nan"], "seconds"),
                (["run", "a", "--quiet=yes"], "takes no value"),
                (["run", "a", "--resume", "--overwrite"], "exclude each other"),
                (["run", "a", "--no-output", "-o", "b"], "excludes"),
                (["run", "."], "Is a directory"),
                (["check"], "SCENE... is missing"),
                (["materials", "watre"], 'did you mean "water"'),
                (["params", "doman.cell"], 'did you mean "domain.cell"'),
                (["info"], "DIR is missing"),
                (["validate"], "NAME"),
                (["validate", "slode"], 'did you mean "slide"'),
                (["validate", "slide", "angel=3"], 'did you mean "angle"'),
                (["validate", "slide", "angle=3 cm"], "angle"),
                (["validate", "slide", "angle"], "KEY=VALUE"),
                (["validate", "--all", "slide"], "--all"),
                (["bench", "transfers"], 'did you mean "transfer"'),
                (["help", "rune"], "no command"),
                (["generate", "cake"], "cake"),
        ]:
            output, problems = self.drench(*words, status=2)
            self.assertIn(wanted, output + problems, words)

    def test_help_and_version(self):
        text = self.drench("--help")[0]
        for name in COMMANDS:
            self.assertIn(f"drench {name} ", text)
            own = self.drench(name, "--help")[0]
            self.assertEqual(own, self.drench("help", name)[0])
            self.assertIn("--help", own)
        self.assertRegex(self.drench("--version")[0], r"^drench \d+\.\d+\.\d+\n")

    def test_a_reader_that_goes_away_does_no_harm(self):
        run = subprocess.run(f"{DRENCH} params | head -n 1; exit ${{PIPESTATUS[0]}}", shell=True, executable="/bin/bash",
                             capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w") as full:
            self.assertEqual(subprocess.run([DRENCH, "params"], stdout=full, stderr=subprocess.DEVNULL).returncode, 1)


class Tables(Case):
    def test_params_tell_unit_default_range_and_meaning(self):
        text = self.drench("params", "domain.cell")[0]
        self.assertIn("in cm", text)
        self.assertIn("must be given", text)
        self.assertGreater(len(self.drench("params")[0].splitlines()), 200)

    def test_params_finds_words_in_the_names_of_values(self):
        self.assertIn("materials[].viscosity\n", self.drench("params", "viscosity")[0])
        text = self.drench("params", "radius")[0]
        self.assertIn("strands[].curl_radius\n", text)
        self.assertEqual(text.count("Radius; of a torus"), 1)
        self.assertRegex(text, r"also .*colliders\[\]\.shape\.radius")
        self.assertIn('did you mean "viscosity"', self.drench("params", "viscosty", status=2)[1])

    def test_the_schema_takes_good_scenes_and_refuses_bad_ones(self):
        schema = json.loads(self.drench("params", "--schema")[0])
        self.assertIn("shape", schema["$defs"])
        try:
            import jsonschema
            import yaml
        except ImportError:
            self.skipTest("python3-jsonschema and python3-yaml are missing")
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        source = Path(os.environ["DRENCH_SOURCE"])
        scenes = [*source.glob("scenes/*/*.yaml"), source / "tests/scene/everything.yaml"]
        self.assertGreater(len(scenes), 5)
        for path in scenes:
            self.assertEqual([e.message for e in validator.iter_errors(yaml.safe_load(path.read_text()))], [], path)
        for bad in ["domain: {cel: 1}", "domain: {cell: '1,5 cm'}", "domain: {cell: 1, x_min: opne}", "domain: {cell: -1}",
                    "domain: {cell: 1}\ndrains: [{name: a, shape: {type: sphere, size: [1, 1, 1]}}]",
                    "domain: {cell: 1}\ndrains: [{name: a, shape: {type: sphere}}]", "domain: {cell: 1, min: [0, 0]}", "{}"]:
            self.assertFalse(validator.is_valid(yaml.safe_load(bad)), bad)

    def test_materials_have_numbers_and_sources(self):
        self.assertIn("water", self.drench("materials")[0])
        text = self.drench("materials", "water")[0]
        self.assertRegex(text, r"density +1 g/cm3")
        self.assertIn("source:", text)

    def test_every_material_can_be_used(self):
        listed = self.drench("materials")[0].splitlines()
        self.assertGreater(len(listed), 50)
        uses = {"hair": "strands: [{material: %s, type: line, end: [1, 0, 0]}]",
                "yarn": "strands: [{material: %s, type: line, end: [1, 0, 0]}]",
                "cloth": "cloths: [{material: %s, type: rectangle, width: 4, depth: 4}]"}
        for line in listed:
            name, kind = line[:24].strip(), line[25:33].strip()
            use = uses.get(kind, "bodies: [{material: %s, shape: {type: sphere, radius: 2}}]") % name
            (self.folder / "use.yaml").write_text("domain: {cell: 0.5}\n" + use + "\n")
            self.drench("check", "use.yaml")

    def test_the_scene_reference_names_every_parameter(self):
        text = self.drench("generate", "scene-reference")[0]
        for line in self.drench("params")[0].splitlines():
            if re.match(r"[a-z]", line):
                self.assertIn(f"`{re.split('[.]', line)[-1]}`", text)


class Generated(Case):
    def test_the_manual_page_is_clean_and_complete(self):
        text = self.drench("generate", "man")[0]
        for name in COMMANDS:
            self.assertIn(f".SS {name}\n", text)
        for option in set(re.findall(r"--([a-z-]+)", self.drench("help", "run")[0])) - {"help"}:
            self.assertIn("\\-\\-" + option.replace("-", "\\-"), text)
        if shutil.which("mandoc"):
            page = self.folder / "drench.1"
            page.write_text(text)
            lint = subprocess.run(["mandoc", "-Tlint", page], capture_output=True, text=True)
            self.assertEqual((lint.returncode, lint.stdout), (0, ""))

    def complete(self, *words):
        script = self.folder / "completion.bash"
        script.write_text(self.drench("generate", "bash")[0])
        line = " ".join(f"'{word}'" for word in words)
        text = f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _drench; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        run = subprocess.run(["bash", "-c", text], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout.split("\n")[:-1]

    def test_bash_completes(self):
        (self.folder / "results").mkdir()
        self.assertEqual(self.complete("drench", "ru"), ["run"])
        self.assertIn("--resume", self.complete("drench", "run", "--re"))
        self.assertIn("scene.yaml", self.complete("drench", "run", "sc"))
        self.assertEqual(self.complete("drench", "run", "scene.yaml", "-o", "res"), ["results"])
        self.assertEqual(self.complete("drench", "validate", "mom"), ["momentum"])
        self.assertEqual(self.complete("drench", "materials", "shaving"), ["shaving cream"])

    def test_zsh_and_fish_scripts_name_every_command(self):
        for shell in ("zsh", "fish"):
            text = self.drench("generate", shell)[0]
            for name in COMMANDS:
                self.assertIn(name, text)
            if shutil.which(shell):
                script = self.folder / shell
                script.write_text(text)
                self.assertEqual(subprocess.run([shell, "-n", script], capture_output=True, text=True).stderr, "")


class Check(Case):
    def test_good_scenes_pass_and_bad_ones_are_told(self):
        self.assertIn("a ball and dust", self.drench("check", "scene.yaml")[0])
        self.assertEqual(self.drench("check", "--quiet", "scene.yaml"), ("", ""))
        text = self.drench("check", "scene.yaml")[0]
        self.assertRegex(text, r"about \d+ particles, and emitters add about \d+; 0 vertices of strands\n")
        self.assertRegex(text, r"memory: about [\d.]+ [MG]iB of this machine's [\d.]+ GiB\n")
        self.assertRegex(text, r"first step: [\d.e-]+ s, by \w+; memory after \d+ steps: [\d.]+ [MG]iB\n")
        self.assertRegex(text, r"time: about [\d:]+ for the whole, at the pace of the first \d+ steps: ")
        self.assertNotIn("first step", self.drench("check", "--no-steps", "scene.yaml")[0])
        rag = self.folder / "rag.yaml"
        rag.write_text("domain: {cell: 0.5}\ncloths: [{material: fabric, type: rectangle, pattern: one_diagonal, "
                       "width: 4, depth: 2, edge: 1}]\n")
        self.assertIn("; 0 vertices of strands; 15 vertices and 16 triangles of cloth\n",
                      self.drench("check", "--no-steps", "rag.yaml")[0])
        bad = self.folder / "bad.yaml"
        bad.write_text("domain: {cel: 1}\n")
        output, problems = self.drench("check", "bad.yaml", "scene.yaml", "none.yaml", status=2)
        self.assertIn("bad.yaml:1:", problems)
        self.assertIn("cell", problems)
        self.assertIn("none.yaml", problems)
        self.assertIn("scene.yaml: good", output)

    def test_values_may_be_set(self):
        self.drench("check", "scene.yaml", "--set", "bodies.ball.shape.radius=2 mm", "--set", "domain.cell=1 mm")
        self.assertIn("radius", self.drench("check", "scene.yaml", "--set", "bodies.ball.shape.radius=-1", status=2)[1])
        self.assertIn("PATH=VALUE", self.drench("check", "scene.yaml", "--set", "radius", status=2)[1])
        self.assertIn("bodies", self.drench("check", "scene.yaml", "--set", "bodys.ball.shape.radius=1", status=2)[1])


class Progress(Case):
    def test_one_line_per_frame_without_a_terminal(self):
        output, problems = self.drench("run", "scene.yaml", "--frames", 4, "--no-output", "--threads", 1)
        self.assertEqual(len(re.findall(r"^frame \d+/5 .* particles .* left$", output, re.MULTILINE)), 5)
        self.assertEqual(problems, "")

    def test_json_lines_parse(self):
        output, _ = self.drench("run", "scene.yaml", "--frames", 4, "--no-output", "--json", "--threads", 1)
        lines = [json.loads(line) for line in output.splitlines()]
        self.assertEqual([line["event"] for line in lines], ["frame"] * 5 + ["end"])
        self.assertEqual([line["frame"] for line in lines[:5]], [1, 2, 3, 4, 5])
        self.assertEqual((lines[-1]["exit"], lines[-1]["complete"], lines[-1]["folder"]), (0, True, None))

    def test_rejections_are_told_with_their_reason(self):
        words = ["run", "scene.yaml", "-o", "out", "--frames", 2, "--overwrite", "--set", "time.fixed_step=20 ms", "--set",
                 "time.retries=20", "--set", "materials.soft.youngs_modulus=1e7"]
        self.assertRegex(self.drench(*words)[0], r"left  \d+ rejected: matter moves faster than time.courant allows\n")
        lines = [json.loads(line) for line in self.drench(*words, "--json")[0].splitlines()]
        rejected = [line for line in lines if line.get("rejected") and line["event"] == "frame"]
        self.assertGreater(len(rejected), 0)
        for line in rejected:
            self.assertEqual(line["rejected_because"], "matter moves faster than time.courant allows")
        stats = self.stats("out")
        self.assertEqual({line["rejected_because"] for line in stats if line["rejected"]}, {rejected[0]["rejected_because"]})
        self.assertEqual({line["rejected_because"] for line in stats if not line["rejected"]} - {None}, set())
        self.assertEqual(sum(line["rejected"] for line in stats), self.report("out")["rejected"])

    def test_progress_of_hair_counts_strands_and_contacts(self):
        (self.folder / "hair.yaml").write_text("domain: {cell: 0.5}\ntime: {frames: 1}\nstrands: [{material: hair, type: mat, count: 20, length: 3, "
                                               "width: 1, depth: 1, axis: [1, 0.2, 0], center: [0, 0.3, 0], root: free}]\n"
                                               "colliders: [{shape: {type: half_space}}]\n")
        text = self.drench("run", "hair.yaml", "--no-output")[0]
        self.assertRegex(text, r"frame 2/2 .* s  20 strands  [1-9]\d* contacts  0:00 left\n")
        self.assertNotIn("particles", text)

    def test_quiet_is_quiet(self):
        for words in ([], ["--json"]):
            self.assertEqual(self.drench("run", "scene.yaml", "--frames", 2, "--no-output", "--quiet", *words), ("", ""))

    def shown_on_a_terminal(self, columns):
        try:
            master, slave = pty.openpty()
        except OSError as reason:
            self.skipTest(f"this machine lends no terminal: {reason}")
        os.set_blocking(master, True)
        import fcntl
        import struct
        import termios
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([DRENCH, "run", "scene.yaml", "--frames", "3", "--no-output"], cwd=self.folder, stdout=slave)
        os.close(slave)
        text = b""
        try:
            while piece := os.read(master, 4096):
                text += piece
        except OSError:
            pass
        self.assertEqual(process.wait(), 0)
        os.close(master)
        return re.findall(r"\r([^\x1b\r\n]*)\x1b\[K", text.decode())

    def test_a_terminal_gets_a_line_that_fits(self):
        for columns in (40, 80, 120):
            shown = self.shown_on_a_terminal(columns)
            self.assertGreater(len(shown), 0)
            self.assertIn("frame 4/4", shown[-1])
            self.assertLess(max(map(len, shown)), columns)
            if columns >= 80:
                self.assertRegex(shown[-1], r"^\[=+\] frame 4/4 .*left.* t .* dt .* particles")

    def test_a_run_that_cannot_go_on_is_status_1_and_keeps_its_state(self):
        output, problems = self.drench("run", "scene.yaml", "-o", "out", "--set", "time.fixed_step=20 ms", "--set",
                                       "time.retries=0", "--set", "materials.soft.youngs_modulus=1e9", status=1)
        self.assertIn("rejected", problems)
        report = self.report("out")
        self.assertEqual((report["complete"], report["status"]), (False, "numerics"))
        self.assertTrue((self.folder / "out" / "checkpoint.h5").exists())


class Lab(Case):
    def test_cases_are_listed_with_their_parameters(self):
        text = self.drench("validate", "--list")[0]
        for name in ("free-fall", "momentum", "rotating-solid", "slide", "angle=30 deg"):
            self.assertIn(name, text)
        self.assertIn("transfer", self.drench("bench", "--list")[0])

    def test_a_validation_prints_measured_beside_expected_and_keeps_its_scene(self):
        output, _ = self.drench("validate", "momentum", "cells=2", "steps=40", "--json", "-o", "kept", "--threads", 1)
        result = json.loads(output)
        self.assertEqual(set(result), {"name", "parameters", "measured", "expected", "error", "tolerance", "pass"})
        self.assertEqual((result["name"], result["parameters"]["cells"], result["pass"]), ("momentum", 2, True))
        self.assertLess(result["measured"]["linear_drift"], result["tolerance"]["linear_drift"])
        self.assertEqual(len(self.stats("kept")), 40)
        last = self.stats("kept")[-1]["linear_momentum"]
        first = self.stats("kept")[0]["linear_momentum"]
        self.assertAlmostEqual(sum((a - b) ** 2 for a, b in zip(last, first)) ** 0.5 / self.stats("kept")[0]["mass"] / 50, 0, 6)
        self.drench("check", "kept/scene.yaml")

    def test_a_validation_that_does_not_pass_is_status_1(self):
        output, _ = self.drench("validate", "slide", "cells=4", "youngs_modulus=100 dyn/cm2", "duration=50 ms", "--threads", 1,
                                status=1)
        self.assertIn("DOES NOT PASS", output)

    def test_a_validation_that_judges_nothing_does_not_pass(self):
        output, _ = self.drench("validate", "dam-break", "cells=4", "time=0.5", "--threads", 1, status=1)
        self.assertIn("not judged", output)

    def test_a_benchmark_prints_its_floor_beside_its_figure(self):
        output, _ = self.drench("bench", "transfer", "particles=20000", "repeats=2", "--json")
        result = json.loads(output)
        for name in ("nodes", "faces"):
            self.assertAlmostEqual(result["ratio"][name], result["measured"][name] / result["floor"][name])
            self.assertGreater(result["floor"][name], 0)


if __name__ == "__main__":
    needs("hdf5")
    needs("yaml")
    unittest.main()
