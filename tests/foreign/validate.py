"""Holds recorded answers against the OpenAPI document with Python's jsonschema.

usage: validate.py OPENAPI_JSON ANSWERS_JSONL
"""

import json
import sys
from urllib.parse import quote

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

DOCUMENT = "urn:openapi"


def main(document_file, answers_file):
    with open(document_file, encoding="utf-8") as file:
        document = DRAFT202012.create_resource(json.load(file))
    registry = Registry().with_resource(DOCUMENT, document)
    validators, operations, answers, refused = {}, set(), 0, 0
    with open(answers_file, encoding="utf-8") as lines:
        for line in lines:
            answer = json.loads(line)
            place = answer["schema"]
            if place not in validators:
                schema = {"$ref": f"{DOCUMENT}#{quote(place, safe='/~')}"}
                validators[place] = Draft202012Validator(schema, registry=registry)
            operations.add(answer["operation"])
            answers += 1
            for error in validators[place].iter_errors(answer["body"]):
                refused += 1
                print(f"{answer['operation']} {answer['status']} {error.json_path}: {error.message}")
    print(f"jsonschema: {answers} answers of {len(operations)} operations, {refused} complaints")
    return 0 if answers and not refused else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
