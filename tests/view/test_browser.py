"""The page of `drench view` in headless Chromium with software WebGL. With DRENCH_SHOTS=FOLDER it leaves pictures there."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy
from folder import SCENE, write_folder, write_frame, write_part, write_stats
from server import Case, Server, needs_viewer

ROOT = Path(os.environ.get("DRENCH_SOURCE", "."))
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
STAGE = "document.getElementById('stage').dataset"
DRAWN = f"{STAGE}.state === 'shown' && {STAGE}.drawn === {STAGE}.frame"


def needs_browser():
    for what, there in [("Chromium", CHROMIUM), ("Node.js", shutil.which("node")),
                        ("viewer/node_modules", (ROOT / "viewer" / "node_modules" / "playwright-core").is_dir())]:
        if not there:
            print(f"no {what} here: `make viewer` gets what the browser tests need")
            sys.exit(77)


class Browser:
    def __init__(self):
        self.process = subprocess.Popen(["node", Path(__file__).with_name("driver.mjs"), CHROMIUM], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __getattr__(self, command):
        def perform(**values):
            self.process.stdin.write(json.dumps({"do": command, **values}) + "\n")
            self.process.stdin.flush()
            answer = json.loads(self.process.stdout.readline())
            if "error" in answer:
                raise AssertionError(f"{command} {values}: {answer['error']}")
            return answer["value"]
        return perform

    def quit(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def browser_seconds():
    """CPU seconds of Chromium's processes below us."""
    ticks, parents = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        fields = text[text.rindex(")") + 2:].split()
        parents[int(path.parent.name)] = int(fields[1])
        ticks[int(path.parent.name)] = int(fields[11]) + int(fields[12])
    ours = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(ticks[process] for process in ours - {os.getpid()} if process in ticks) / os.sysconf("SC_CLK_TCK")


def setUpModule():
    Page.browser = Browser()


def tearDownModule():
    Page.browser.quit()


class Page(Case):
    browser = None  # one for all

    def open(self):
        """Serves the folder and waits for the first picture; gives its time since the page was asked for, in seconds."""
        self.server = self.serve()
        self.browser.open(url=self.server.address)
        self.browser.wait(code=f"{STAGE}.drawn", seconds=20)
        self.addCleanup(self.check_silence)
        return self.browser.evaluate(code="performance.now() / 1000")

    def check_silence(self):
        self.assertEqual(self.browser.problems(), [])
        strange = [url for url in self.browser.asked() if not url.startswith((self.server.address, "data:"))]
        self.assertEqual(strange, [])

    def stage(self, name):
        return self.browser.evaluate(code=f"{STAGE}.{name}")

    def text(self, identity):
        return self.browser.evaluate(code=f"document.getElementById('{identity}').textContent")

    def press(self, *keys):
        for key in keys:
            self.browser.press(key=key)

    def wait_for_frame(self, number, seconds=10):
        self.browser.wait(code=f"{STAGE}.frame === '{number}' && {DRAWN}", seconds=seconds)

    def wait_for_all(self):
        """Until every frame is at hand."""
        self.browser.wait(code=f"{STAGE}.kept === {STAGE}.frames", seconds=30)

    def keep(self, name):
        if os.environ.get("DRENCH_SHOTS"):
            self.browser.shot(path=os.path.join(os.environ["DRENCH_SHOTS"], f"{name}.png"))


class Small(Page):
    def test_it_loads_steps_and_plays(self):
        write_folder(self.folder, frames=6)
        self.open()
        self.wait_for_frame(1)
        self.assertEqual(self.stage("points"), str(2000 + 200 + 576 + 8))
        self.press("ArrowRight", "ArrowRight")
        self.wait_for_frame(3)
        self.assertEqual((self.text("frame"), self.text("time")), ("3 / 6", f"{2 / 24:.3f} s"))
        self.press("End")
        self.wait_for_frame(6)
        self.press("ArrowLeft", "Home")
        self.wait_for_frame(1)
        self.press("Space")
        for number in [3, 5, 2]:  # past the end it begins anew
            self.browser.wait(code=f"{STAGE}.drawn === '{number}'")
        self.press("Space")
        time.sleep(0.3)
        stopped = self.stage("drawn")
        time.sleep(0.3)
        self.assertEqual(self.stage("drawn"), stopped)

    def test_parts_and_colours_can_be_chosen(self):
        write_folder(self.folder, frames=2)
        self.open()
        everything = self.browser.pixels()["count"]
        self.assertGreater(everything, 20000)
        for key in ["1", "2", "4"]:
            self.press(key)
        self.browser.wait(code=f"{STAGE}.points === '2000'")
        liquid = self.browser.pixels()["count"]
        self.assertTrue(0 < liquid < everything, (liquid, everything))
        self.browser.select(label="colour liquid by", value="pressure")
        self.browser.wait(code="document.querySelector('.bar-name').textContent.includes('dyn/cm²')")
        self.browser.wait(code=DRAWN)
        self.browser.type(selector=".bar-ends input:last-of-type", text="1e3")
        self.assertEqual(self.browser.evaluate(code="document.querySelector('.bar-ends input:last-of-type').value"), "1000")
        self.browser.select(label="colour liquid by", value="age")
        self.browser.wait(code="document.querySelector('.bar-name').textContent.startsWith('age')")
        self.press("3")
        self.browser.wait(code=f"{STAGE}.points === '0'")
        self.assertEqual(self.browser.pixels()["count"], 0)

    def test_a_frame_that_comes_late_is_shown(self):
        write_folder(self.folder, frames=3, points=200)
        self.open()
        self.wait_for_all()
        self.browser.slow(path="**/api/frame?number=2*", seconds=2.5)  # longer than between two looks at the folder
        (self.folder / "frames" / "frame_000002.h5").touch()  # the page must ask for it again
        time.sleep(1.2)
        self.press("ArrowRight")
        self.wait_for_frame(2)

    def test_plots_follow_and_lead(self):
        write_folder(self.folder, frames=9, points=200)
        self.open()
        self.browser.wait(code="document.querySelectorAll('.plot .value')[0].textContent.startsWith('6400')")
        width, height = self.browser.evaluate(code="[document.querySelector('.plot canvas').clientWidth, 30]")
        self.browser.click(selector=".plot canvas >> nth=1", x=round(width * 0.5), y=height)
        self.browser.wait(code=f"Number({STAGE}.drawn) >= 4 && Number({STAGE}.drawn) <= 6")
        row = round((int(self.stage("drawn")) - 1) * 10)
        self.assertEqual(self.browser.evaluate(code="document.querySelectorAll('.plot .value')[2].textContent"), str(8 + row % 5))

    def test_turning_moves_the_picture(self):
        write_folder(self.folder, frames=1, points=500)
        self.open()
        time.sleep(0.5)
        before = self.browser.pixels()
        self.browser.drag(**{"from": [500, 400], "to": [700, 350]})
        time.sleep(0.5)
        after = self.browser.pixels()
        self.assertGreater(abs(after["x"] - before["x"]) + abs(after["y"] - before["y"]), 3)


    def test_the_view_has_buttons(self):
        write_folder(self.folder, frames=1, points=500)
        self.open()
        time.sleep(0.5)
        seen = []
        for button in ["along-x", "along-y", "along-z"]:
            self.browser.click(selector=f"#{button}")
            time.sleep(0.3)
            seen.append(self.browser.pixels())
        self.assertEqual(len({round(picture["count"] / 50) for picture in seen}), 3, seen)
        self.browser.drag(**{"from": [500, 400], "to": [900, 300]})
        self.browser.click(selector="#fit")
        time.sleep(0.3)
        self.assertGreater(self.browser.pixels()["count"], 0)

    def test_the_panel_can_be_reached_on_a_small_screen(self):
        write_folder(self.folder, frames=1, points=500)
        self.open()
        shown = "getComputedStyle(document.getElementById('panel')).display !== 'none'"
        self.assertTrue(self.browser.evaluate(code=shown))
        self.browser.size(width=400, height=700)
        self.assertFalse(self.browser.evaluate(code=shown))
        self.browser.click(selector="#fold")
        self.assertTrue(self.browser.evaluate(code=shown))
        self.browser.click(selector="#part-strands")
        self.browser.wait(code=f"{STAGE}.points === '{500 + 576 + 8}'")
        self.keep("small")
        self.browser.click(selector="#fold")
        self.assertFalse(self.browser.evaluate(code=shown))
        wide = "document.documentElement.scrollWidth <= 400 && document.getElementById('fold').getBoundingClientRect().right <= 400"
        self.assertTrue(self.browser.evaluate(code=wide))

    def test_a_picture_can_be_saved(self):
        write_folder(self.folder, frames=2, points=500)
        self.open()
        saved = self.browser.download(selector="#save")
        self.assertTrue(saved["name"].endswith("_000001.png"), saved["name"])
        self.assertEqual(bytes(saved["bytes"][:8]), b"\x89PNG\r\n\x1a\n")
        width = int.from_bytes(bytes(saved["bytes"][16:20]), "big")
        self.assertEqual(width, self.browser.evaluate(code="document.getElementById('canvas').clientWidth"))

    def test_a_point_that_is_clicked_tells_its_numbers(self):
        write_folder(self.folder, frames=2)
        self.open()
        time.sleep(0.5)
        middle = self.browser.pixels()
        self.browser.click(selector="#canvas", x=round(middle["x"]), y=round(middle["y"]) + 60)
        self.browser.wait(code="!document.getElementById('pick').hidden")
        self.assertRegex(self.text("pick"), r"^\w+ .*\n\(.*\) cm")
        self.keep("pick")
        first = self.text("pick")
        self.press("ArrowRight")
        self.wait_for_frame(2)
        self.assertEqual(self.text("pick").split("\n")[0], first.split("\n")[0])
        self.press("Escape")
        self.browser.wait(code="document.getElementById('pick').hidden")

    def test_colours_and_range_can_be_chosen(self):
        write_folder(self.folder, frames=3)
        self.open()
        self.wait_for_all()
        before = self.browser.evaluate(code="document.querySelector('.bar canvas').getContext('2d').getImageData(0, 0, 1, 1).data.join()")
        self.browser.select(label="colours of speed", value="turbo")
        after = self.browser.evaluate(code="[...document.querySelectorAll('.bar')].find((bar) => bar.textContent.startsWith('speed')).querySelector('canvas').getContext('2d').getImageData(0, 0, 1, 1).data.join()")
        self.assertTrue(after.startswith("48,"), after)
        self.assertNotEqual(before, after)
        low = "[...document.querySelectorAll('.bar')].find((bar) => bar.textContent.startsWith('speed')).querySelector('input').value"
        self.assertEqual(self.browser.evaluate(code=low), "0")
        self.browser.select(label="range of speed", value="here")
        self.browser.wait(code=f"{low} !== '0'")

    def test_the_liquids_surface_is_made_when_it_is_shown(self):
        write_folder(self.folder, frames=2)
        self.open()
        self.assertIn("made when it is shown", self.text("parts"))
        self.browser.click(selector="#part-surface")
        self.browser.wait(code="/surface.*[0-9] triangles/s.test(document.getElementById('parts').textContent)", seconds=20)
        self.browser.wait(code=DRAWN)
        self.assertFalse(self.browser.evaluate(code="document.getElementById('part-liquid').checked"))
        self.assertGreater(self.browser.pixels()["count"], 0)
        self.keep("surface")


class Beginning(Page):
    def test_the_first_frame_with_something_in_it_is_shown_first(self):
        import h5py
        write_folder(self.folder, frames=0)
        for number in [1, 2, 3, 4]:
            places = numpy.random.default_rng(number).random((300 if number > 2 else 0, 3)).astype("f4")
            with h5py.File(self.folder / "frames" / f"frame_{number:06d}.h5", "w") as file:
                file.attrs.update({"time": number / 24, "step": numpy.int64(number), "number": numpy.int64(number), "sample": numpy.int64(0)})
                write_part(file, "liquid", "points", 0, position=places, volume=numpy.full(len(places), 0.01, "f4"))
        self.open()
        self.wait_for_frame(3)
        self.press("Home")
        self.wait_for_frame(1)

    def test_plots_of_nothing_are_left_out(self):
        write_folder(self.folder, frames=3, points=300)
        path = self.folder / "stats.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            line["volume"] = {key: 0.0 for key in line["volume"]} if isinstance(line.get("volume"), dict) else 0.0
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.open()
        self.browser.wait(code="document.querySelectorAll('.plot .value')[2].textContent !== ''")
        hidden = self.browser.evaluate(code="[...document.querySelectorAll('.plot')].map((plot) => plot.hidden)")
        self.assertEqual(hidden, [True, False, False, False])


class Marching(Page):
    """A cube of points that goes from left to right, one step per frame."""

    def write(self, number):
        import h5py
        side = numpy.linspace(0, 4, 12)
        places = numpy.array([[x + 10 * number, y, z] for x in side for y in side for z in side], "f4")
        with h5py.File(self.folder / "frames" / f"frame_{number:06d}.h5", "w") as file:
            file.attrs.update({"time": (number - 1) / 24, "step": numpy.int64(number), "number": numpy.int64(number), "sample": numpy.int64(0)})
            write_part(file, "liquid", "points", 0, position=places, volume=numpy.full(len(places), 0.04, "f4"),
                       velocity=numpy.ones_like(places))

    def test_the_picture_is_that_of_the_frame(self):
        (self.folder / "frames").mkdir(parents=True)
        (self.folder / "scene.yaml").write_text(SCENE.format(title="a march", frames=4))
        for number in range(1, 6):
            self.write(number)
        self.open()
        self.wait_for_all()
        self.press("z")
        places = []
        for number in range(1, 6):
            self.wait_for_frame(number)
            time.sleep(0.1)
            places.append(self.browser.pixels()["x"])
            self.press("ArrowRight")
        steps = numpy.diff(places)
        self.assertGreater(min(steps), 20, places)
        self.assertLess(max(steps) - min(steps), 0.2 * max(steps), places)


class Troubled(Page):
    def test_missing_and_half_written_frames_are_told_of_and_passed(self):
        write_folder(self.folder, frames=7, points=300)
        half = self.folder / "frames" / "frame_000003.h5"
        whole = half.read_bytes()
        half.write_bytes(whole[:len(whole) // 3])
        (self.folder / "frames" / "frame_000005.h5").unlink()
        self.open()
        self.assertIn("missing: 5", self.text("subtitle"))
        self.press("ArrowRight", "ArrowRight")
        self.browser.wait(code=f"{STAGE}.state === 'error'")
        self.assertIn("Frame 3 cannot be shown", self.text("notice"))
        self.keep("half-written")
        self.press("ArrowRight")
        self.wait_for_frame(4)
        self.assertTrue(self.browser.evaluate(code="document.getElementById('notice').hidden"))
        self.press("ArrowRight")
        self.wait_for_frame(6)
        self.press("Home", "Space")
        self.browser.wait(code=f"{STAGE}.drawn === '7'")
        self.press("Space", "Home", "ArrowRight", "ArrowRight")
        self.browser.wait(code=f"{STAGE}.frame === '3'")
        half.write_bytes(whole)
        self.wait_for_frame(3)

    def test_a_folder_that_grows_is_followed(self):
        write_folder(self.folder, frames=0, title="growing")
        self.server = self.serve()
        self.browser.open(url=self.server.address)
        self.addCleanup(self.check_silence)
        self.browser.wait(code="!document.getElementById('empty').hidden")
        write_frame(self.folder, 1, points=300)
        self.wait_for_frame(1)
        self.press("End")
        write_frame(self.folder, 2, points=300)
        write_stats(self.folder, 20)
        self.wait_for_frame(2)
        self.browser.wait(code="document.querySelectorAll('.plot .value')[2].textContent !== ''")

    def test_another_run_in_the_folder_takes_the_place_of_the_first(self):
        write_folder(self.folder, frames=4, points=300)
        self.open()
        self.wait_for_all()
        self.press("ArrowRight")
        self.wait_for_frame(2)
        (self.folder / "frames" / "frame_000004.h5").unlink()
        (self.folder / "stats.jsonl").unlink()
        write_frame(self.folder, 2, points=500)
        write_stats(self.folder, 17)
        self.browser.wait(code=f"{STAGE}.points === '{500 + 200 + 576 + 8}' && {DRAWN}")
        self.assertEqual(self.text("frame"), "2 / 3")
        self.browser.wait(code="document.querySelectorAll('.plot .value')[2].textContent === '8'")  # of step 10

    def test_a_server_that_ends_is_told_of(self):
        write_folder(self.folder, frames=2, points=300)
        server = self.serve()
        self.browser.open(url=server.address)
        self.browser.wait(code=f"{STAGE}.drawn")
        server.stop()
        self.browser.wait(code="document.getElementById('notice').textContent.includes('does not answer')")


class Large(Page):
    """200 thousand points and a thousand curves of 50 vertices on software WebGL."""

    FIRST_PICTURE = 3.0  # seconds; of CPU where others keep the machine busy
    SCRUB = 0.2  # CPU seconds of browser and server per frame

    def test_the_first_picture_comes_soon_and_scrubbing_is_quick(self):
        write_folder(self.folder, frames=5, points=200000, curves=1000, vertices=50, compression=None)
        self.open()  # a browser that has just been started has other things to do
        start = browser_seconds()
        first = self.open()
        first_cpu = browser_seconds() - start
        self.wait_for_all()
        self.browser.wait(code=f"{DRAWN} && {STAGE}.detail === 'full'")
        self.keep("large")
        before, cpu = time.monotonic(), browser_seconds()
        shown = self.browser.evaluate(code=f"""(async () => {{
            const track = document.getElementById("track"), box = track.getBoundingClientRect(), seen = [];
            track.setPointerCapture = () => {{}};
            const point = (kind, at) => track.dispatchEvent(new PointerEvent(kind, {{ bubbles: true, buttons: 1, pointerId: 1,
                clientX: box.left + 8 + at * (box.width - 16), clientY: box.top + 15 }}));
            point("pointerdown", 0);
            for (let i = 0; i < 24; i++) {{
                point("pointermove", Math.abs(1 - ((i / 4) % 2)));
                const wanted = {STAGE}.frame, pictures = {STAGE}.pictures;
                for (let turn = 0; turn < 100; turn++) {{
                    await new Promise(requestAnimationFrame);
                    if ({STAGE}.pictures !== pictures && {STAGE}.drawn === wanted) break;
                }}
                seen.push({STAGE}.drawn);
            }}
            return seen;
        }})()""")
        wall, cpu = (time.monotonic() - before) / len(shown), (browser_seconds() - cpu) / len(shown)
        print(f"first picture after {first:.2f} s ({first_cpu:.2f} s of CPU), scrubbing {wall * 1000:.0f} ms per frame "
              f"({cpu * 1000:.0f} ms of CPU)", file=sys.stderr)
        self.assertEqual(set(shown), {"1", "2", "3", "4", "5"})
        busy = os.getloadavg()[0] > os.cpu_count()
        self.assertLess(first_cpu if busy else first, self.FIRST_PICTURE)
        self.assertLess(cpu, self.SCRUB)
        self.browser.wait(code=f"{STAGE}.detail === 'full'")


if __name__ == "__main__":
    needs_viewer()
    needs_browser()
    unittest.main()
