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

import tree_sitter
import tree_sitter_rust

import switched

# What the simulation does not notice is tried against these, by the folder of its source.
TESTS = {
    "checkout": ["cart", "guest", "idempotent_bytes", "order", "order_key", "order_limits", "shipping_order"],
    "coupon": ["coupon", "order"],
    "settlement": [
        "books", "card", "dispute", "intent", "order", "payment", "recorded_payment", "refund",
        "review", "terse_provider",
    ],
    "stock": ["order", "product_admin", "stock"],
}
# A loop without an end is noticed as well.
SECONDS = 300


class Source:
    """A file with the mutants in it."""

    def __init__(self, path, mutants):
        self.bytes = path.read_bytes()
        lines = self.bytes.split(b"\n")
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        self.at = collections.defaultdict(list)
        for number, mutant in mutants:
            line, column = mutant["span"]["start"]["line"] - 1, mutant["span"]["start"]["column"] - 1
            before = lines[line].decode()[:column].encode()
            self.at[mutant["genre"], starts[line] + len(before)].append((number, mutant["replacement"]))
        self.tree = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language())).parse(self.bytes)
        self.planted = set()

    def text(self, node):
        """The source of a node, with the mutants below it."""
        written = self.inside(node)
        returns = self.at.get(("FnValue", node.start_byte), []) if self.begins_a_body(node) else []
        for number, value in returns:
            self.planted.add(number)
            written = f"if crate::planted({number}) {{ return {value}; }}\n{written}"
        guards = self.at.get(("MatchArmGuard", node.start_byte), []) if self.is_a_guard(node) else []
        return "{ " + self.choice(guards, str, written) + " }" if guards else written

    @staticmethod
    def begins_a_body(node):
        block = node.parent
        if block is None or block.type != "block" or block.parent.type != "function_item":
            return False
        return block.named_children[0] == node

    def inside(self, node):
        if node.type in ("binary_expression", "compound_assignment_expr"):
            left, operator, right = (node.child_by_field_name(it) for it in ("left", "operator", "right"))
            sides = f"({self.text(left)})", f"({self.text(right)})"
            if node.type == "compound_assignment_expr":
                sides = self.text(left), sides[1]
            found = self.at.get(("BinaryOperator", operator.start_byte), [])
            if found:
                write = lambda operator: f"{sides[0]} {operator} {sides[1]}"
                written = self.choice(found, write, write(operator.text.decode()))
                # An assignment is a statement, which has no parentheses.
                return f"({written})" if node.type == "binary_expression" else written
        if node.type == "unary_expression":
            found = self.at.get(("UnaryOperator", node.start_byte), [])
            if found:
                operand = self.text(node.named_children[-1])
                written = self.choice(found, lambda _: operand, node.children[0].text.decode() + operand)
                return f"({written})"
        if node.type == "match_pattern":
            for number, _ in self.at.get(("MatchArm", node.start_byte), []):
                self.planted.add(number)
                guard = node.child_by_field_name("condition")
                pattern = node.named_children[0].text.decode()
                also = f" && ({self.text(guard)})" if guard else ""
                return f"{pattern} if !crate::planted({number}){also}"
        if node.type in ("field_initializer", "shorthand_field_initializer"):
            for number, _ in self.at.get(("StructField", node.start_byte), []):
                return self.without(node, number)
        return self.children(node)

    @staticmethod
    def is_a_guard(node):
        above = node.parent
        return above is not None and above.type == "match_pattern" and above.child_by_field_name("condition") == node

    def without(self, field, number):
        """A field that the struct's base gives instead."""
        self.planted.add(number)
        fields = field.parent
        base = next(it for it in fields.named_children if it.type == "base_field_initializer")
        struct = fields.parent.child_by_field_name("name").text.decode()
        if field.type == "field_initializer":
            name = field.child_by_field_name("field").text.decode()
            value = self.text(field.child_by_field_name("value"))
        else:
            name = value = field.text.decode()
        given = f"{{ let base: {struct} = {base.named_children[0].text.decode()}; base.{name} }}"
        return f"{name}: if crate::planted({number}) {given} else {{ {value} }}"

    def choice(self, mutants, write, otherwise):
        chosen = ""
        for number, replacement in mutants:
            self.planted.add(number)
            chosen += f"if crate::planted({number}) {{ {write(replacement)} }} else "
        return f"{chosen}{{ {otherwise} }}"

    def children(self, node):
        written, position = "", node.start_byte
        for child in node.children:
            written += self.bytes[position:child.start_byte].decode() + self.text(child)
            position = child.end_byte
        return written + self.bytes[position:node.end_byte].decode()

    def write(self):
        root = self.tree.root_node
        rest = self.bytes[root.end_byte:].decode()
        return self.bytes[:root.start_byte].decode() + self.text(root) + rest


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
        tests = [f"core::{name}::" for name in TESTS[pathlib.Path(mutant["file"]).parts[2]]]
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
    for number in sorted(planted)[:: arguments.every]:
        by = noticed(programs, number, mutants[number - 1], arguments.seeds)
        result["noticed" if by else "missed"] += 1
        print(f"{'noticed' if by else 'MISSED'} {mutants[number - 1]['name']}\n   {by or ''}", flush=True)
    print(f"{len(mutants)} mutants: {len(without)} do not compile, {dict(result)}")


if __name__ == "__main__":
    main()
