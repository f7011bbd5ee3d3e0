// Holds recorded answers against the OpenAPI document with ajv in strict mode.
//
// usage: node validate.mjs OPENAPI_JSON ANSWERS_JSONL

import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

// What stands in the document around its schemas.
const AROUND = ["openapi", "info", "servers", "tags", "paths", "webhooks", "components"];
// Formats of the document that JSON Schema does not know, and those of the sizes of numbers.
const OWN_FORMATS = [
  "analytics-id", "asked-amount", "cep", "cest", "cfop", "cnpj", "compare-price", "cpf", "csosn", "date-or-time",
  "event-id", "fiscal-unit", "gtin", "money", "month", "ncm", "picture-url", "price", "product-facets", "quoted-items", "slug", "state-registration",
  "uf", "uint", "uint8", "uint16", "uint32", "uint64", "webhook-url",
];

const [documentFile, answersFile] = process.argv.slice(2);
const ajv = new Ajv2020({ strict: true, strictTypes: true, allowUnionTypes: true, allErrors: true });
addFormats.default(ajv);
ajv.addVocabulary(AROUND);
OWN_FORMATS.forEach((format) => ajv.addFormat(format, true));
ajv.addSchema(JSON.parse(readFileSync(documentFile, "utf8")), "openapi");

const validators = new Map();
function validator(place) {
  if (!validators.has(place)) {
    const fragment = place.split("/").map(encodeURIComponent).join("/");
    validators.set(place, ajv.compile({ $ref: `openapi#${fragment}` }));
  }
  return validators.get(place);
}

const operations = new Set();
let answers = 0;
let refused = 0;
for await (const line of createInterface({ input: createReadStream(answersFile) })) {
  const { operation, status, schema, body } = JSON.parse(line);
  const validate = validator(schema);
  operations.add(operation);
  answers += 1;
  if (!validate(body)) {
    refused += 1;
    console.log(`${operation} ${status} ${ajv.errorsText(validate.errors)}`);
  }
}
console.log(`ajv: ${answers} answers of ${operations.size} operations, ${refused} refused`);
process.exit(answers > 0 && refused === 0 ? 0 : 1);
