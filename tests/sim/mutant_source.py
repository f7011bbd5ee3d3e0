"""A source file with mutants planted in it, each behind a switch."""

import collections

import tree_sitter
import tree_sitter_rust

RUST = tree_sitter.Language(tree_sitter_rust.language())


class Source:
    """Writes a file anew, node by node, with what its mutants do instead."""

    def __init__(self, path, mutants):
        self.bytes = path.read_bytes()
        self.tree = tree_sitter.Parser(RUST).parse(self.bytes)
        # The numbers of those whose place was found.
        self.planted = set()
        self.at = collections.defaultdict(list)
        for number, mutant in mutants:
            place = mutant["genre"], self.offset(mutant["span"]["start"])
            self.at[place].append((number, mutant["replacement"]))

    def offset(self, place):
        """Where a line and a column are, both from 1, the column in characters."""
        lines = self.bytes.split(b"\n")[: place["line"]]
        before = lines.pop().decode()[: place["column"] - 1]
        return sum(len(line) + 1 for line in lines) + len(before.encode())

    def write(self):
        root = self.tree.root_node
        return self.bytes[: root.start_byte].decode() + self.text(root) + self.bytes[root.end_byte :].decode()

    def text(self, node):
        """A node's source, with the mutants of it and below it."""
        written = self.WRITERS.get(node.type, Source.children)(self, node)
        if begins_body(node):
            for number, value in self.mutants("FnValue", node):
                written = f"if crate::planted({number}) {{ return {value}; }}\n{written}"
        guards = self.mutants("MatchArmGuard", node) if is_guard(node) else []
        return "{ " + choice(guards, str, written) + " }" if guards else written

    def mutants(self, genre, node):
        found = self.at.get((genre, node.start_byte), [])
        self.planted.update(number for number, _ in found)
        return found

    def children(self, node):
        written, position = "", node.start_byte
        for child in node.children:
            written += self.bytes[position : child.start_byte].decode() + self.text(child)
            position = child.end_byte
        return written + self.bytes[position : node.end_byte].decode()

    def binary(self, node):
        left, operator, right = (node.child_by_field_name(it) for it in ("left", "operator", "right"))
        found = self.mutants("BinaryOperator", operator)
        if not found:
            return self.children(node)
        is_statement = node.type == "compound_assignment_expr"
        left, right = self.text(left), f"({self.text(right)})"
        left = left if is_statement else f"({left})"
        written = choice(found, lambda it: f"{left} {it} {right}", f"{left} {operator.text.decode()} {right}")
        return written if is_statement else f"({written})"

    def unary(self, node):
        found = self.mutants("UnaryOperator", node)
        if not found:
            return self.children(node)
        operator, operand = node.children[0].text.decode(), self.text(node.named_children[-1])
        return f"({choice(found, lambda _: operand, operator + operand)})"

    def pattern(self, node):
        """An arm that is left out never matches."""
        found = self.mutants("MatchArm", node)
        if not found:
            return self.children(node)
        guard = node.child_by_field_name("condition")
        also = f" && ({self.text(guard)})" if guard else ""
        return f"{node.named_children[0].text.decode()} if !crate::planted({found[0][0]}){also}"

    def field(self, node):
        """A field that is left out is that of the struct's base."""
        found = self.mutants("StructField", node)
        if not found:
            return self.children(node)
        fields = node.parent
        base = next(it for it in fields.named_children if it.type == "base_field_initializer")
        struct = fields.parent.child_by_field_name("name").text.decode()
        name = (node.child_by_field_name("field") or node).text.decode()
        value = node.child_by_field_name("value")
        given = f"let base: {struct} = {base.named_children[0].text.decode()}; base.{name}"
        return f"{name}: {choice(found, lambda _: given, self.text(value) if value else name)}"

    WRITERS = {
        "binary_expression": binary,
        "compound_assignment_expr": binary,
        "unary_expression": unary,
        "match_pattern": pattern,
        "field_initializer": field,
        "shorthand_field_initializer": field,
    }


def choice(mutants, write, otherwise):
    """What the first of these does that is switched on."""
    each = [f"if crate::planted({number}) {{ {write(replacement)} }} else " for number, replacement in mutants]
    return f"{''.join(each)}{{ {otherwise} }}"


def begins_body(node):
    block = node.parent
    is_body = block is not None and block.type == "block" and block.parent.type == "function_item"
    return is_body and block.named_children[0] == node


def is_guard(node):
    above = node.parent
    is_pattern = above is not None and above.type == "match_pattern"
    return is_pattern and above.child_by_field_name("condition") == node
