"""`drench view` answers with the frames as they are on disk, and with nothing else."""

import json
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest
from pathlib import Path

import h5py
import numpy
from folder import stats_line, write_folder, write_frame, write_stats
from server import DRENCH, Case, needs_viewer


class Frames(Case):
    def setUp(self):
        super().setUp()
        write_folder(self.folder, frames=3)
        self.server = self.serve()

    def test_the_page_and_its_files_are_there(self):
        for path, kind, word in [("/", "text/html", b"viewer.js"), ("/viewer.js", "text/javascript", b"three"),
                                 ("/viewer.css", "text/css", b"#stage")]:
            status, headers, body = self.server.ask(path)
            self.assertEqual(status, 200)
            self.assertTrue(headers["Content-Type"].startswith(kind))
            self.assertIn(word, body)

    def test_the_page_asks_for_nothing_from_elsewhere(self):
        for path in ["/", "/viewer.css"]:
            body = self.server.ask(path)[2].replace(b"http://www.w3.org/2000/svg", b"")
            self.assertNotIn(b"http://", body)
            self.assertNotIn(b"https://", body)
        self.assertIn("default-src 'none'", self.server.ask("/")[1]["Content-Security-Policy"])

    def test_the_list_names_the_frames_and_their_times(self):
        run = self.server.json("/api/run")
        self.assertEqual([frame[:2] for frame in run["frames"]], [[1, 0], [2, 0], [3, 0]])
        self.assertEqual((run["title"], run["frame_rate"], run["start_frame"], run["folder"]), ("a made-up wave", 24, 1, "results"))
        self.assertFalse(run["ended"])

    def test_a_frame_equals_the_file(self):
        header, parts = self.server.frame(2, "liquid:pressure,strands:film_height,cloth:wetness,colliders:")
        with h5py.File(self.folder / "frames" / "frame_000002.h5") as file:
            self.assertEqual(header["time"], file.attrs["time"])
            for part, names in {"liquid": ["position", "pressure"], "strands": ["position", "radius", "film_height"],
                                "cloth": ["position", "wetness"], "colliders": ["position"]}.items():
                for name in names:
                    there = file[part][name][:].astype("f4")
                    numpy.testing.assert_array_equal(parts[part][name].reshape(there.shape), there, f"{part}/{name}")
                if part != "liquid":
                    numpy.testing.assert_array_equal(parts[part]["index"].reshape(-1), file[part]["index"][:].reshape(-1))

    def test_only_what_is_wanted_is_sent(self):
        header, parts = self.server.frame(1, "strands:speed")
        self.assertEqual({name: sorted(arrays) for name, arrays in parts.items()},
                         {"liquid": [], "cloth": [], "colliders": [], "strands": ["index", "position", "radius", "speed"],
                          "surface": []})
        self.assertIn("pressure", next(p for p in header["parts"] if p["name"] == "liquid")["fields"])

    def test_speed_is_the_length_of_velocity(self):
        _, parts = self.server.frame(3, "liquid:speed")
        with h5py.File(self.folder / "frames" / "frame_000003.h5") as file:
            speed = numpy.linalg.norm(file["liquid/velocity"][:].astype("f8"), axis=1)
        numpy.testing.assert_allclose(parts["liquid"]["speed"].reshape(-1), speed, rtol=1e-6)

    def test_without_a_wish_every_part_comes_with_a_field(self):
        header, parts = self.server.frame(1)
        self.assertEqual({part["name"]: part["field"] for part in header["parts"] if part["name"] != "surface"},
                         {"liquid": "speed", "strands": "film_height", "cloth": "wetness", "colliders": None})
        self.assertIn("wetness", parts["cloth"])
        self.assertEqual(list(parts["surface"]), [])

    def test_the_surface_is_made_when_it_is_wanted(self):
        _, parts = self.server.frame(1, "surface:speed")
        self.assertEqual(sorted(parts["surface"]), ["index", "normal", "position", "speed"])
        self.assertGreater(len(parts["surface"]["index"]), 100)

    def test_age_is_since_the_step_that_made_the_particle(self):
        header, parts = self.server.frame(3, "liquid:age")
        age = parts["liquid"]["age"].reshape(-1)
        made = [json.loads(line) for line in (self.folder / "stats.jsonl").read_text().splitlines()]
        for particle in [0, 1000, 1200, 1499]:  # made before the first step, in it, and later
            born = next((line["time"] for line in made if line["ids"] > particle), made[-1]["time"])
            self.assertAlmostEqual(age[particle], max(0, header["time"] - born), places=6)

    def test_statistics_are_the_lines_of_the_file(self):
        answer = self.server.json("/api/stats?from=0")
        self.assertEqual(len(answer["rows"]), 30)
        row = dict(zip(answer["columns"], answer["rows"][4]))
        line = json.loads(stats_line(5, 0))
        self.assertEqual((row["step"], row["time"], row["volume"], row["kinetic"], row["iterations"], row["step_seconds"]),
                         (5, line["time"], line["volume"]["total"], line["energy"]["kinetic"], 8, line["step_seconds"]))
        self.assertEqual(answer["next"], (self.folder / "stats.jsonl").stat().st_size)
        self.assertEqual(self.server.json(f"/api/stats?from={answer['next']}")["rows"], [])

    def test_two_clients_at_once_get_the_same(self):
        wanted = {number: self.server.frame(number, "liquid:speed")[1]["liquid"]["position"] for number in [1, 2, 3]}
        wrong = []

        def look():
            for turn in range(9):
                number = 1 + turn % 3
                if not numpy.array_equal(self.server.frame(number, "liquid:speed")[1]["liquid"]["position"], wanted[number]):
                    wrong.append(number)

        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_idle_connections_do_not_stand_in_the_way(self):
        idle = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(8)]
        before = time.monotonic()
        self.assertEqual(self.server.ask("/api/run")[0], 200)
        self.assertLess(time.monotonic() - before, 5)
        for connection in idle:
            connection.close()


class Growing(Case):
    def test_frames_and_statistics_appear_as_they_are_written(self):
        write_folder(self.folder, frames=1)
        server = self.serve()
        self.assertEqual(len(server.json("/api/run")["frames"]), 1)
        start = server.json("/api/stats?from=0")["next"]
        write_frame(self.folder, 2)
        write_stats(self.folder, 12, first=11)
        self.assertEqual([frame[0] for frame in server.json("/api/run")["frames"]], [1, 2])
        self.assertEqual([row[0] for row in server.json(f"/api/stats?from={start}")["rows"]], [11, 12])
        self.assertEqual(server.frame(2)[0]["number"], 2)

    def test_half_a_line_waits_for_its_end(self):
        write_folder(self.folder, frames=1, steps=3)
        server = self.serve()
        next_byte = server.json("/api/stats?from=0")["next"]
        with open(self.folder / "stats.jsonl", "a", encoding="utf-8") as out:
            out.write(stats_line(4, 0)[:40])
            out.flush()
            answer = server.json(f"/api/stats?from={next_byte}")
            self.assertEqual((answer["rows"], answer["next"]), ([], next_byte))
            out.write(stats_line(4, 0)[40:])
        self.assertEqual(server.json(f"/api/stats?from={next_byte}")["rows"][0][0], 4)

    def test_statistics_of_another_run_begin_anew(self):
        write_folder(self.folder, frames=1)
        server = self.serve()
        next_byte = server.json("/api/stats?from=0")["next"]
        (self.folder / "stats.jsonl").write_text(stats_line(1, 5))
        answer = server.json(f"/api/stats?from={next_byte}")
        self.assertEqual((answer["again"], answer["next"]), (True, 0))

    def test_a_frame_written_anew_has_another_stamp(self):
        write_folder(self.folder, frames=1)
        server = self.serve()
        before = server.json("/api/run")["frames"]
        write_frame(self.folder, 1, points=10)
        self.assertNotEqual(server.json("/api/run")["frames"], before)

    def test_a_folder_without_frames_is_shown_empty(self):
        write_folder(self.folder, frames=0)
        server = self.serve()
        self.assertEqual(server.json("/api/run")["frames"], [])

    def test_missing_and_half_written_frames_are_told_of(self):
        write_folder(self.folder, frames=3)
        server = self.serve()
        whole = (self.folder / "frames" / "frame_000002.h5").read_bytes()
        (self.folder / "frames" / "frame_000002.h5").write_bytes(whole[:len(whole) // 2])
        (self.folder / "frames" / "frame_000003.h5").unlink()
        self.assertIn("frame_000002.h5", server.frame(2)[0]["error"])
        self.assertNotIn(str(self.outside), server.frame(2)[0]["error"])
        self.assertIn("frame 3", server.frame(3)[0]["error"])
        self.assertEqual(server.frame(1)[0]["number"], 1)
        (self.folder / "frames" / "frame_000002.h5").write_bytes(whole)
        self.assertEqual(server.frame(2)[0]["number"], 2)


# Water pours into nothing: particles of every age.
POUR = """
title: pouring
time: {frame_rate: 50, frames: 12}
domain: {cell: 0.5}
emitters:
  - {name: spout, material: water, shape: {type: box, center: [0, 4, 0], size: [2, 1, 2]}, velocity: [0, -60, 0]}
"""


class Running(Case):
    def test_a_run_is_shown_while_it_writes(self):
        scene = self.outside / "pour.yaml"
        scene.write_text(POUR)
        run = subprocess.Popen([DRENCH, "run", scene, "-o", self.folder, "--quiet", "--threads", "1"])
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        while not list(self.folder.glob("frames/frame_*.h5")):
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        server = self.serve()
        seen = 0
        while run.poll() is None:
            frames = server.json("/api/run")["frames"]
            self.assertGreaterEqual(len(frames), seen)
            seen = len(frames)
            self.assertEqual(server.frame(frames[-1][0])[0]["number"], frames[-1][0])
            time.sleep(0.02)
        self.assertEqual(run.wait(), 0)
        self.assertEqual((len(server.json("/api/run")["frames"]), server.json("/api/run")["ended"]), (13, True))
        header, parts = server.frame(13, "liquid:age")
        age = parts["liquid"]["age"]
        self.assertGreater(len(age), 100)
        self.assertGreater(age.max(), 0.2)
        self.assertLess(age.min(), 0.05)
        self.assertLessEqual(age.max(), header["time"] + 1e-6)


class Strangers(Case):
    """Paths that lead elsewhere, hosts that are not ours."""

    def setUp(self):
        super().setUp()
        write_folder(self.folder, frames=2)
        (self.outside / "secret.h5").write_bytes((self.folder / "frames" / "frame_000002.h5").read_bytes())
        (self.outside / "secret.txt").write_text("do not tell")
        self.server = self.serve()

    def test_paths_outside_the_folder_are_refused(self):
        for path in ["/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/frames/../../secret.txt", "/....//secret.txt",
                     f"/{self.outside}/secret.txt", f"//{self.outside}/secret.txt", "/etc/passwd", "/%2fetc%2fpasswd",
                     "/viewer.js/../../secret.txt", "/..\\secret.txt", "/api/../../secret.txt", "/secret.txt", "/scene.yaml",
                     "/frames/frame_000001.h5", "/%00", "/viewer.js%00.txt", "/?x=../secret.txt%00"]:
            answer = self.server.raw(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n\r\n".encode())
            self.assertNotIn(b"do not tell", answer, path)
            self.assertNotIn(b"root:", answer, path)
            if not path.startswith("/?"):
                self.assertRegex(answer.split(b"\r\n")[0], rb"HTTP/1.1 40[034] ", path)

    def test_frames_are_named_by_numbers_alone(self):
        for query in ["number=../1", "number=", "number=1x", "number=-1", "", "number=1&sample=..", "number=%2e%2e", "number=1%00"]:
            self.assertEqual(self.server.ask(f"/api/frame?{query}")[0], 403, query)
        self.assertIn("error", self.server.frame(99999999999)[0])
        self.assertEqual(self.server.ask("/api/stats?from=99999999999999999999")[0], 403)

    def test_a_frame_that_is_a_link_out_of_the_folder_is_refused(self):
        frame = self.folder / "frames" / "frame_000002.h5"
        frame.unlink()
        frame.symlink_to(self.outside / "secret.h5")
        status, _, body = self.server.ask("/api/frame?number=2")
        self.assertEqual(status, 403)
        self.assertIn(b"leads out of the folder", body)

    def test_a_frame_that_points_into_other_files_is_refused(self):
        frame = self.folder / "frames" / "frame_000002.h5"

        def link_part(file):
            file["spy"] = h5py.ExternalLink(str(self.outside / "secret.h5"), "liquid")

        def link_array(file):
            del file["liquid/pressure"]
            file["liquid/pressure"] = h5py.ExternalLink(str(self.outside / "secret.h5"), "liquid/pressure")

        def borrow_bytes(file):
            del file["liquid/pressure"]
            file["liquid"].create_dataset("pressure", (2,), "f4", external=[(str(self.outside / "secret.txt"), 0, 8)])

        def borrow_array(file):
            del file["liquid/pressure"]
            layout = h5py.VirtualLayout((2000,), "f4")
            layout[:] = h5py.VirtualSource(str(self.outside / "secret.h5"), "liquid/pressure", shape=(2000,))
            file["liquid"].create_virtual_dataset("pressure", layout)

        for damage in [link_part, link_array, borrow_bytes, borrow_array]:
            write_frame(self.folder, 2)
            self.assertEqual(self.server.frame(2)[0]["number"], 2)
            with h5py.File(frame, "r+") as file:
                damage(file)
            self.assertIn("frame_000002.h5", self.server.frame(2)[0].get("error", "nothing"), damage)

    def test_a_link_inside_the_folder_is_followed(self):
        frames = self.folder / "frames"
        (frames / "frame_000002.h5").rename(self.folder / "kept.h5")
        (frames / "frame_000002.h5").symlink_to("../kept.h5")
        self.assertEqual(self.server.frame(2)[0]["number"], 2)

    def test_linked_frames_and_statistics_are_refused(self):
        shutil.move(self.folder / "frames", self.outside / "elsewhere")
        (self.folder / "frames").symlink_to(self.outside / "elsewhere")
        self.assertEqual(self.server.ask("/api/run")[0], 403)
        self.assertEqual(self.server.ask("/api/frame?number=1")[0], 403)
        (self.folder / "stats.jsonl").unlink()
        (self.folder / "stats.jsonl").symlink_to(self.outside / "secret.txt")
        self.assertEqual(self.server.ask("/api/stats?from=0")[0], 403)

    def test_other_hosts_are_refused(self):
        port = self.server.port
        for host in [f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}"]:
            self.assertEqual(self.server.ask("/api/run", Host=host)[0], 200, host)
        for host in ["evil.example", f"evil.example:{port}", "127.0.0.1", "localhost", f"localhost:{port + 1}", f"127.0.0.1.evil.example:{port}",
                     f"localhost:{port}@evil.example", f"0.0.0.0:{port}", f"127.0.0.1:{port}0", "", None]:
            for path in ["/", "/api/run", "/api/frame?number=1"]:
                self.assertIn(self.server.ask(path, Host=host)[0], (400, 403), host)

    def test_other_origins_are_refused(self):
        port = self.server.port
        self.assertEqual(self.server.ask("/api/run", Origin=f"http://127.0.0.1:{port}")[0], 200)
        for origin in ["http://evil.example", f"https://127.0.0.1:{port}", "null", f"http://localhost:{port}.evil.example", "http://127.0.0.1"]:
            self.assertEqual(self.server.ask("/api/run", Origin=origin)[0], 403, origin)

    def test_other_sites_may_link_to_the_page_and_no_more(self):
        foreign = {"Sec-Fetch-Site": "cross-site"}
        self.assertEqual(self.server.ask("/", **foreign)[0], 200)
        self.assertEqual(self.server.ask("/api/run", **{"Sec-Fetch-Site": "same-origin"})[0], 200)
        for path in ["/api/run", "/api/frame?number=1", "/viewer.js"]:
            self.assertEqual(self.server.ask(path, **foreign)[0], 403, path)

    def test_only_reading_is_allowed(self):
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "MKCOL"]:
            status = self.server.ask("/scene.yaml", method=method)[0]
            self.assertIn(status, (403, 405, 501), method)
        self.assertTrue((self.folder / "scene.yaml").exists())

    def test_nonsense_does_not_bring_it_down(self):
        for data in [b"", b"\r\n\r\n", b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"x" * 100000,
                     b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                     b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 500 + b"\r\n"]:
            try:
                self.server.raw(data)
            except OSError:
                pass  # it may hang up on us
        self.assertEqual(self.server.ask("/api/run")[0], 200)

    def test_only_the_loopback_address_listens(self):
        table = "".join(path.read_text() for path in Path("/proc/net").glob("tcp*"))
        listening = [line.split()[1] for line in table.splitlines() if line.split()[3:4] == ["0A"]]
        self.assertEqual([place for place in listening if place.endswith(f":{self.server.port:04X}")], [f"0100007F:{self.server.port:04X}"])


class Program(Case):
    def test_ctrl_c_and_terminate_end_it(self):
        write_folder(self.folder, frames=1)
        for kind in [signal.SIGINT, signal.SIGTERM]:
            server = self.serve()
            server.ask("/api/run")
            server.process.send_signal(kind)
            self.assertEqual(server.process.wait(timeout=10), 0)

    def test_a_client_that_goes_away_is_no_problem(self):
        write_folder(self.folder, frames=1, points=50000)
        server = self.serve()
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(f"GET /api/frame?number=1 HTTP/1.1\r\nHost: localhost:{server.port}\r\n\r\n".encode())
                connection.recv(10)
        self.assertEqual(server.ask("/api/run")[0], 200)

    def test_the_port_can_be_chosen_and_a_taken_one_is_told_of(self):
        write_folder(self.folder, frames=1)
        first = self.serve()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.assertEqual(self.serve("--port", str(port)).port, port)
        run = subprocess.run([DRENCH, "view", self.folder, "--port", str(first.port)], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("--port 0", run.stderr)

    def test_bad_usage_is_refused(self):
        self.outside.joinpath("empty").mkdir()
        for words, status, word in [([], 2, "DIR is missing"), (["nowhere"], 2, "nowhere"), (["empty"], 2, "no results"),
                                    (["empty", "--port", "70000"], 2, "65535")]:
            run = subprocess.run([DRENCH, "view", *words], capture_output=True, text=True, cwd=self.outside)
            self.assertIn(run.returncode, (1, status), words)
            self.assertIn(word, run.stderr)


if __name__ == "__main__":
    needs_viewer()
    unittest.main()
