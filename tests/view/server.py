"""Starting `drench view` and asking it, for the tests of the viewer."""

import http.client
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy

DRENCH = os.environ.get("DRENCH")


def needs_viewer():
    """Skips the whole file where the build lacks a part."""
    features = subprocess.run([DRENCH, "--version"], capture_output=True, text=True, check=True).stdout
    for part in ["view", "hdf5", "yaml"]:
        if f"{part} yes" not in features:
            print(f"this build has no {part}")
            sys.exit(77)


class Server:
    def __init__(self, folder, *words):
        self.process = subprocess.Popen([DRENCH, "view", str(folder), *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            problem = self.process.stderr.read()
            self.stop()
            raise RuntimeError(problem)
        self.port = int(self.address.split(":")[2].strip("/"))

    def ask(self, path, method="GET", **headers):
        """(status, headers, body)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in headers.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders()
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def json(self, path):
        status, _, body = self.ask(path)
        assert status == 200, (status, body)
        return json.loads(body)

    def frame(self, number, want=None):
        """The header and {part: {array: values}}; or {"error": ...} and None."""
        path = f"/api/frame?number={number}" + (f"&want={want}" if want is not None else "")
        status, headers, body = self.ask(path)
        assert status == 200, (status, body)
        return (json.loads(body), None) if headers["Content-Type"] == "application/json" else take_frame(body)

    def raw(self, data):
        """What comes back for bytes as they are."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
            return answer

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


def take_frame(body):
    assert body[:4] == b"DRF1", body[:40]
    length = struct.unpack("<I", body[4:8])[0]
    assert length % 4 == 0
    header = json.loads(body[8:8 + length])
    parts = {}
    for part in header["parts"]:
        parts[part["name"]] = {
            name: numpy.frombuffer(body, "<u4" if array["type"] == "uint32" else "<f4", array["count"] * array["components"],
                                   8 + length + array["offset"]).reshape(array["count"], array["components"])
            for name, array in part.get("arrays", {}).items()}
    return header, parts


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.outside = Path(folder.name)
        self.folder = self.outside / "results"

    def serve(self, *words):
        server = Server(self.folder, *words)
        self.addCleanup(server.stop)
        return server
