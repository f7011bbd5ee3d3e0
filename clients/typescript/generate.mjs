// src/schema.ts from the shop's OpenAPI document. A program of its own and not the command of
// openapi-typescript, since that one makes a text of a file that is uploaded.

import { writeFile } from "node:fs/promises";

import openapiTS, { astToString, COMMENT_HEADER } from "openapi-typescript";
import ts from "typescript";

const document = new URL("../../shop-server/openapi.json", import.meta.url);
const types = await openapiTS(document, {
  defaultNonNullable: false,
  transform: ({ contentMediaType }) =>
    contentMediaType === "application/octet-stream" ? ts.factory.createTypeReferenceNode("Blob") : undefined,
});
await writeFile(new URL("src/schema.ts", import.meta.url), COMMENT_HEADER + astToString(types));
