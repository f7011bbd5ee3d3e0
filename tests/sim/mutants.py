#!/usr/bin/env python3
"""Tells which of the mutants that `cargo mutants` names are noticed by the tests.

    cargo mutants --list --json --package shop-core --file '…' > mutants.json
    tests/sim/mutants.py mutants.json [--seeds 20] [--every 3] > result.txt

`cargo mutants` builds the tests anew for each mutant, which takes a minute and more of this
workspace. Here all are planted in one copy of the sources (target/planted), each behind a switch
that the environment sets; those that do not compile are taken out, as `cargo mutants` does. A mutant
is noticed by the simulation, or else by the tests of shop-core. Needs `tree-sitter` and
`tree-sitter-rust`.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

import switched
from mutant_source import Source

# What the simulation does not notice is tried against these, by the folder of its source.
TESTS = {
    "checkout": [
        "core::cart::", "core::guest::", "core::idempotent_bytes::", "core::order::", "core::order_key::",
        "core::order_limits::", "core::own_users::", "core::shipping_order::", "http::guest::",
        "http::journey::", "http::office::",
    ],
    "coupon": ["core::coupon::", "core::order::", "http::coupon::"],
    "settlement": [
        "core::books::", "core::card::", "core::dispute::", "core::intent::", "core::order::", "core::order_return::",
        "core::payment::", "core::provider_surprises::", "core::reconcile::", "core::recorded_payment::", "core::refund::",
        "core::review::", "core::terse_provider::", "http::order_cancel::", "http::payment::",
    ],
    "stock": [
        "core::order::", "core::product_admin::", "core::stock::", "http::product_admin::", "http::stock::",
    ],
}
# A loop without an end is noticed as well.
SECONDS = 300


def plant(mutants, without):
    """Writes the sources with every mutant but those, and gives the numbers of what was planted."""
    of_file = {mutant["file"]: [] for mutant in mutants}
    for number, mutant in enumerate(mutants, 1):
        if number not in without:
            of_file[mutant["file"]].append((number, mutant))
    planted = set()
    for file, inside in of_file.items():
        source = Source(switched.ROOT / file, inside)
        (switched.COPY / file).write_text(source.write())
        planted |= source.planted
    return planted


def refused(planted):
    """The mutants at the errors of the compiler, and how it ended."""
    said = switched.cargo(["check", "--package", "shop-core", "--all-features", "--message-format=json", "--quiet"])
    found, unexplained = set(), []
    for line in said.stdout.splitlines():
        message = json.loads(line).get("message") or {}
        if message.get("level") != "error" or not message.get("spans"):
            continue
        at = at_fault(message) & planted
        found |= at
        if not at:
            unexplained.append(message["rendered"])
    if said.returncode and not found:
        sys.exit("\n".join(unexplained) or said.stderr)
    return found, said.returncode


def at_fault(message):
    """The last switch before the place of an error, on its line or the lines before."""
    span = next(it for it in message["spans"] if it["is_primary"])
    text = (switched.COPY / span["file_name"]).read_bytes()
    before = text[: span["byte_end"]]
    place = before.rfind(b"crate::planted(")
    return set() if place < 0 else {int(before[place + 15 :].split(b")")[0])}


def noticed(programs, number, mutant, seeds):
    """By what a mutant is noticed; nothing where it is not."""
    try:
        found = switched.simulate(programs["sim"], number, seeds, SECONDS)
        if found:
            return found
        tests = TESTS[pathlib.Path(mutant["file"]).parts[2]]
        said = switched.test(programs["it"], number, tests, SECONDS)
    except subprocess.TimeoutExpired:
        return "a test that does not end"
    failed = [line.split()[1] for line in said.stdout.splitlines() if line.endswith("... FAILED")]
    return failed[0] if failed else "a crash" if said.returncode else None


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("list", type=pathlib.Path)
    arguments.add_argument("--seeds", type=int, default=20)
    arguments.add_argument("--prepare", action="store_true")
    arguments.add_argument("--every", type=int, default=1, help="tries each of so many")
    arguments.add_argument("--known", type=pathlib.Path, help="a result, whose mutants are not tried again")
    arguments = arguments.parse_args()
    mutants = json.loads(arguments.list.read_text())
    switched.copy()
    without, code = set(), 1
    while code:
        planted = plant(mutants, without)
        more, code = refused(planted)
        without |= more
        print(f"{len(planted)} planted, {len(more)} of them do not compile", file=sys.stderr, flush=True)
    if arguments.prepare:
        return
    programs = switched.build(["sim", "it"])
    result = collections.Counter()
    known = arguments.known.read_text() if arguments.known else ""
    left = [it for it in sorted(planted) if f" {mutants[it - 1]['name']}\n" not in known]
    for number in left[:: arguments.every]:
        by = noticed(programs, number, mutants[number - 1], arguments.seeds)
        result["noticed" if by else "missed"] += 1
        print(f"{'noticed' if by else 'MISSED'} {mutants[number - 1]['name']}\n   {by or ''}", flush=True)
    print(f"{len(mutants)} mutants: {len(without)} do not compile, {dict(result)}")


if __name__ == "__main__":
    main()
