"""A server with the demonstration shop, in a folder of its own and on a free port."""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

CUSTOMER = {"email": "cliente@velas.example", "password": "velas-demo-123"}
ADMIN = {"email": "admin@velas.example", "password": "admin-demo-123"}


@contextlib.contextmanager
def demo_server(binary, settings):
    """Gives the server's address and its folder, and stops the server afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        process, url = start(binary, folder, settings)
        try:
            yield url, folder
        finally:
            process.terminate()
            process.wait()


def start(binary, folder, settings):
    command = [os.path.abspath(binary), "--demo", "--listen", "127.0.0.1:0"]
    log = folder / "log"
    process = subprocess.Popen(command, cwd=folder, env=settings, stderr=log.open("w"))
    for _ in range(600):
        if process.poll() is not None:
            break
        for line in log.read_text().splitlines():
            if "listening on http://" in line:
                return process, line.split("listening on ")[1].strip()
        time.sleep(0.1)
    sys.exit(f"the server does not start:\n{log.read_text()}")
