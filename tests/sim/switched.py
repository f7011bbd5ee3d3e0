"""A copy of the sources in which defects are planted, each behind a switch that the environment
sets, so that one build is enough for all. The copy (target/planted) shares compiled dependencies
with the workspace; the programs in target/debug are its own until the next `cargo build` there.
Nothing of it is part of the shop."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "target" / "planted"
SWITCH = '''
/// Whether the defect of this number is switched on.
pub(crate) fn planted(number: u32) -> bool {
    static PLANTED: std::sync::OnceLock<Option<u32>> = std::sync::OnceLock::new();
    let read = || std::env::var("SHOP_PLANTED").ok()?.parse().ok();
    *PLANTED.get_or_init(read) == Some(number)
}
'''


def copy():
    """Copies the sources anew, with the switch in each crate that has a planted file."""
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    files = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT).split(b"\0")
    for name in filter(None, map(os.fsdecode, files)):
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_file():
            shutil.copy2(ROOT / name, COPY / name)
    # Packages of another version have artifacts of their own beside the workspace's.
    manifest = COPY / "Cargo.toml"
    manifest.write_text(manifest.read_text().replace('version = "0.1.0"', 'version = "0.1.0-planted"'))
    for crate in ["shop-core/src", "shop-server/src", "tests/schedules"]:
        with (COPY / crate / "lib.rs").open("a") as lib:
            lib.write(SWITCH)


def cargo(arguments):
    """Runs cargo in the copy."""
    command = [*os.environ.get("CARGO", "cargo").split(), *arguments]
    environment = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target")}
    return subprocess.run(command, cwd=COPY, env=environment, capture_output=True, text=True)


def build(tests):
    """The programs of these tests."""
    said = cargo(["test", "--workspace", *(it for name in tests for it in ("--test", name)), "--no-run"])
    if said.returncode:
        sys.exit(said.stderr)
    found = re.findall(rf"\((?:.*target/)?(debug/deps/({'|'.join(tests)})-\w+)\)", said.stderr)
    return {name: ROOT / "target" / path for path, name in found}


def test(program, number, arguments=(), seconds=None, **variables):
    """Runs a program of tests with one defect switched on."""
    environment = os.environ | {"SHOP_PLANTED": str(number), "RUST_BACKTRACE": "0"} | variables
    return subprocess.run(
        [program, *arguments], cwd=COPY / "tests", env=environment,
        capture_output=True, text=True, errors="replace", timeout=seconds,
    )


def simulate(program, number, seeds, seconds=None):
    """The first seed that finds a defect, and how; nothing where none does."""
    said = test(program, number, ["--nocapture", "the_books_are_the_models"], seconds, SHOP_SIM_SEEDS=str(seeds))
    found = re.findall(r"^seed (\d+): (.*)", said.stdout, re.MULTILINE)
    if found:
        return f"seed {found[0][0]}: {found[0][1][:110]}"
    return f"the simulation ended with {said.returncode}" if said.returncode else None
