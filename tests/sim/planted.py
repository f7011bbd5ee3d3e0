#!/usr/bin/env python3
"""Plants the defects of `planted.toml` and tells after how many seeds the simulation finds each, or
which schedule does.

    tests/sim/planted.py [--seeds 500] [--only N,N] [--prepare]
"""

import argparse
import re
import sys
import tomllib

import switched


def plant(number, defect):
    path = switched.COPY / "shop-core" / "src" / defect["file"]
    text, context = path.read_text(), defect.get("context", defect["find"])
    assert text.count(context) == 1, f"{defect['name']}: found {text.count(context)} times"
    assert context.count(defect["find"]) == 1, defect["name"]
    find, replace = defect["find"], defect["replace"]
    choice = f"if crate::planted({number}) {{ {replace} }} else {{ {find} }}"
    switch = choice if find.endswith(";") else f"{{ {choice} }}"
    path.write_text(text.replace(context, context.replace(find, switch)))


def run(programs, suite, number, seeds):
    if suite == "schedules":
        said = switched.test(programs[suite], number)
        return ", ".join(re.findall(r"^test (\w+) \.\.\. FAILED", said.stdout, re.MULTILINE)) or None
    return switched.simulate(programs["sim"], number, seeds)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seeds", type=int, default=500)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--prepare", action="store_true")
    arguments = arguments.parse_args()
    defects = tomllib.loads((switched.ROOT / "tests/sim/planted.toml").read_text())["planted"]
    switched.copy()
    for number, defect in enumerate(defects, 1):
        plant(number, defect)
    if arguments.prepare:
        return
    programs = switched.build(["sim", "schedules"])
    for suite in programs:
        failed = run(programs, suite, 0, 20)
        assert failed is None, f"without a defect: {failed}"
    only = [int(number) for number in arguments.only.split(",") if number]
    missed = 0
    for number, defect in enumerate(defects, 1):
        if only and number not in only:
            continue
        found = run(programs, defect.get("found_by"), number, arguments.seeds)
        missed += found is None
        print(f"{number:>2} {defect['name']}\n   {found or 'NOT FOUND'}", flush=True)
    sys.exit(f"{missed} were not found" if missed else 0)


if __name__ == "__main__":
    main()
