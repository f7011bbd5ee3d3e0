"""A preprocessor of mdBook: links that lead out of the book name the file of the repository instead."""

import json
import re
import sys

OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./([^)#]+)[^)]*\)")


def name_files(item):
    """Each chapter, and those below it."""
    chapter = item.get("Chapter") if isinstance(item, dict) else None
    if not chapter:
        return
    chapter["content"] = OUTSIDE.sub(named, chapter["content"])
    for below in chapter["sub_items"]:
        name_files(below)


def named(link):
    text, path = link.groups()
    return text if path in text else f"{text} (`{path}`)"


if sys.argv[1:2] == ["supports"]:
    sys.exit(0)
_, book = json.load(sys.stdin)
for item in book.get("items", book.get("sections", [])):
    name_files(item)
json.dump(book, sys.stdout)
