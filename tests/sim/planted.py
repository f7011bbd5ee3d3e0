#!/usr/bin/env python3
"""Plants the defects of `planted.toml` and tells after how many seeds the simulation finds each, or
which schedule does.

    tests/sim/planted.py [--seeds 500] [--only N,N] [--prepare]

All of them are planted in one copy of the sources (target/planted), each behind a switch that the
environment sets, so that one build is enough. The copy shares compiled dependencies with the
workspace. Nothing of it is part of the shop.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

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


def plant(number, defect):
    path = COPY / "shop-core" / "src" / defect["file"]
    text, context = path.read_text(), defect.get("context", defect["find"])
    assert text.count(context) == 1, f"{defect['name']}: found {text.count(context)} times"
    assert context.count(defect["find"]) == 1, defect["name"]
    find, replace = defect["find"], defect["replace"]
    choice = f"if crate::planted({number}) {{ {replace} }} else {{ {find} }}"
    switched = choice if find.endswith(";") else f"{{ {choice} }}"
    path.write_text(text.replace(context, context.replace(find, switched)))


def prepare(defects):
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    files = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT).split(b"\0")
    for name in filter(None, map(os.fsdecode, files)):
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_file():
            shutil.copy2(ROOT / name, COPY / name)
    for number, defect in enumerate(defects, 1):
        plant(number, defect)
    # Packages of another version have artifacts of their own beside the workspace's.
    manifest = COPY / "Cargo.toml"
    manifest.write_text(manifest.read_text().replace('version = "0.1.0"', 'version = "0.1.0-planted"'))
    for crate in ["shop-core/src", "shop-server/src", "tests/schedules"]:
        with (COPY / crate / "lib.rs").open("a") as lib:
            lib.write(SWITCH)


def build():
    """The two programs of tests."""
    cargo = os.environ.get("CARGO", "cargo").split()
    command = [*cargo, "test", "--workspace", "--test", "sim", "--test", "schedules", "--no-run"]
    environment = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target")}
    said = subprocess.run(command, cwd=COPY, env=environment, stderr=subprocess.PIPE, text=True)
    if said.returncode:
        sys.exit(said.stderr)
    found = re.findall(r"\((?:.*target/)?(debug/deps/(sim|schedules)-\w+)\)", said.stderr)
    return {name: ROOT / "target" / path for path, name in found}


def run(programs, defect, number, seeds):
    environment = os.environ | {"SHOP_PLANTED": str(number), "SHOP_SIM_SEEDS": str(seeds)}
    environment |= {"RUST_BACKTRACE": "0"}
    if defect.get("found_by") == "schedules":
        said = subprocess.run([programs["schedules"]], env=environment, capture_output=True, text=True)
        failed = re.findall(r"^test (\w+) \.\.\. FAILED", said.stdout, re.MULTILINE)
        return ", ".join(failed) or None
    program = programs["sim"]
    test = [program, "--nocapture", "the_books_are_the_models"]
    said = subprocess.run(test, cwd=COPY / "tests", env=environment, capture_output=True, text=True)
    found = re.findall(r"^seed (\d+): (.*)", said.stdout, re.MULTILINE)
    return f"seed {found[0][0]}: {found[0][1][:110]}" if found else None


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seeds", type=int, default=500)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--prepare", action="store_true")
    arguments = arguments.parse_args()
    defects = tomllib.loads((ROOT / "tests/sim/planted.toml").read_text())["planted"]
    prepare(defects)
    if arguments.prepare:
        return
    programs = build()
    for suite in programs:
        failed = run(programs, {"found_by": suite}, 0, 20)
        assert failed is None, f"without a defect: {failed}"
    only = [int(number) for number in arguments.only.split(",") if number]
    missed = 0
    for number, defect in enumerate(defects, 1):
        if only and number not in only:
            continue
        found = run(programs, defect, number, arguments.seeds)
        missed += found is None
        print(f"{number:>2} {defect['name']}\n   {found or 'NOT FOUND'}", flush=True)
    sys.exit(f"{missed} were not found" if missed else 0)


if __name__ == "__main__":
    main()
