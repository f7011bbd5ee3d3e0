// Shows /api/openapi.json to people. Everything is made by `h`, never from markup in a text, so that
// nothing that the document says can become part of the page.
"use strict";

const $ = (id) => document.getElementById(id);
let api;
let operations = [];

function h(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== undefined && value !== false && value !== null) node.setAttribute(name, value);
  }
  node.append(...children.flat(9).filter(Boolean));
  return node;
}

/** Follows `$ref`. */
function resolve(value) {
  let seen = 0;
  while (value && value.$ref && seen++ < 9) {
    const parts = value.$ref.slice(2).split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    value = parts.reduce((at, part) => at?.[part], api);
  }
  return value ?? {};
}

const nameOf = (schema) => schema?.$ref?.split("/").pop();

const inline = (line) => (line ?? "").split("`").map((part, n) => (n % 2 ? h("code", null, part) : part));

/** `code` and lists, the only Markdown there is. */
function prose(text) {
  return (text ?? "").split("\n\n").filter(Boolean).map((part) => {
    const lines = part.split("\n");
    if (lines.every((line) => line.startsWith("- "))) {
      return h("ul", { class: "codes" }, lines.map((line) => h("li", null, inline(line.slice(2)))));
    }
    return h("p", null, inline(part));
  });
}

function method(operation, text = operation.method) {
  return h("span", { class: `method ${operation.method}` }, text === "delete" ? "del" : text);
}

/* The list */

function collect() {
  const of = (group, kind) => Object.entries(api[group] ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, spec]) => ({
      ...spec, path, method: kind ?? verb, id: spec.operationId, tag: spec.tags?.[0] ?? "",
      words: [path, verb, spec.summary, spec.operationId, spec.tags?.[0]].join(" ").toLowerCase(),
    })));
  return [...of("paths"), ...of("webhooks", "event")];
}

function marked(text, words) {
  const at = words.map((word) => [text.toLowerCase().indexOf(word), word.length]).find(([found]) => found >= 0);
  if (!at) return [text];
  const [from, length] = at;
  return [text.slice(0, from), h("mark", null, text.slice(from, from + length)), text.slice(from + length)];
}

function list() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter((one) => words.every((word) => one.words.includes(word)));
  $("nav").classList.toggle("searching", words.length > 0);
  $("count").textContent = words.length ? `${found.length} of ${operations.length} operations` : `${operations.length} operations`;
  const item = (one) => h("li", null, h("a", { href: `#${one.id}`, "aria-current": one.id === location.hash.slice(1) && "page" },
    method(one), h("span", null, marked(one.summary, words), h("span", { class: "path" }, marked(one.path, words)))));
  $("list").replaceChildren(...api.tags.flatMap((tag) => {
    const own = found.filter((one) => one.tag === tag.name);
    return own.length ? [h("section", null, h("h2", null, tag.name), h("ul", null, own.map(item)))] : [];
  }));
}

/** Arrows walk the list, from the search downwards. */
function walk(event) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const stops = [$("search"), ...$("list").querySelectorAll("a")];
  const at = stops.indexOf(document.activeElement);
  const next = stops[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (at >= 0 && next) {
    next.focus();
    event.preventDefault();
  }
}

/* Schemas */

function typeOf(schema) {
  const target = resolve(schema);
  if (target.const !== undefined) return JSON.stringify(target.const);
  if (target.enum) return target.enum.map((one) => JSON.stringify(one)).join(" | ");
  const options = target.anyOf ?? target.oneOf;
  if (options) return options.map(typeOf).join(" | ");
  if (target.allOf && !target.type) return target.allOf.map(typeOf).join(" & ");
  const types = [target.type ?? "any"].flat().map((type) => (type === "array" ? `${typeOf(target.items ?? {})}[]` : type));
  const name = nameOf(schema);
  return types.join(" | ").replace("object", name ?? "object");
}

function limits(schema) {
  const target = resolve(schema);
  const parts = [];
  if (target.format) parts.push(target.format);
  if (target.minimum !== undefined) parts.push(`≥ ${target.minimum}`);
  if (target.maximum !== undefined) parts.push(`≤ ${target.maximum}`);
  if (target.minLength !== undefined || target.maxLength !== undefined) parts.push(`${target.minLength ?? 0}–${target.maxLength ?? "∞"} characters`);
  if (target.minItems !== undefined || target.maxItems !== undefined) parts.push(`${target.minItems ?? 0}–${target.maxItems ?? "∞"} items`);
  if (target.pattern) parts.push(target.pattern);
  if (target.default !== undefined && target.default !== null) parts.push(`default ${JSON.stringify(target.default)}`);
  return parts.length ? h("span", { class: "type" }, ` (${parts.join(", ")})`) : "";
}

/** The schema whose fields are worth showing: of an object, of a list's items, of the one that is not null. */
function inner(schema) {
  const target = resolve(schema);
  if (target.items) return inner(target.items);
  const options = (target.anyOf ?? target.oneOf ?? []).filter((one) => resolve(one).type !== "null");
  if (options.length === 1 && !target.properties) return inner(options[0]);
  return target;
}

function fields(schema, depth = 0) {
  const target = inner(schema);
  const parts = [...(target.allOf ?? []), ...(target.oneOf ?? target.anyOf ?? [])].map(inner).filter((part) => part.properties);
  const own = Object.entries(target.properties ?? {});
  if (!own.length && !parts.length) return depth ? "" : h("p", { class: "type" }, typeOf(schema), limits(schema));
  const row = ([name, field]) => h("div", { class: "field" },
    h("span", { class: "name" }, name), h("span", { class: "type" }, typeOf(field)), limits(field),
    target.required?.includes(name) && h("span", { class: "required" }, "required"),
    prose(field.description ?? resolve(field).description), nested(field, depth));
  return h("div", { class: "fields" }, own.map(row), parts.map((part) => fields(part, depth)));
}

/** Opened when somebody wants it: schemas may lead back to themselves. */
function nested(field, depth) {
  const target = inner(field);
  if (depth > 5 || !(target.properties || target.oneOf || target.anyOf || target.allOf) || target.enum) return "";
  if (!target.properties && ![...(target.oneOf ?? []), ...(target.anyOf ?? []), ...(target.allOf ?? [])].some((one) => inner(one).properties)) return "";
  const details = h("details", { ontoggle: () => { if (details.open && details.children.length === 1) details.append(fields(field, depth + 1)); } },
    h("summary", { class: "type" }, "fields"));
  return details;
}

const json = (value) => JSON.stringify(value, null, 2);

function exampleOf(media) {
  if (media?.example !== undefined) return media.example;
  const first = Object.values(media?.examples ?? {})[0];
  return first && resolve(first).value;
}

/* One operation */

function show(operation) {
  const body = operation.requestBody?.content ?? {};
  const [kind, media] = Object.entries(body)[0] ?? [];
  const parameters = (operation.parameters ?? []).map(resolve);
  const example = exampleOf(media);
  return [
    h("p", { class: "quiet" }, operation.tag),
    h("h1", null, operation.summary),
    h("div", { class: "call" }, method(operation), h("span", { class: "path" }, operation.path),
      operation.method !== "event" && h("button", { type: "button", onclick: () => navigator.clipboard?.writeText(operation.path) }, "Copy")),
    who(operation), prose(operation.description),
    parameters.length && [h("h2", null, "Parameters"), h("div", { class: "card" }, parameters.map((one) => h("div", { class: "field" },
      h("span", { class: "name" }, one.name), h("span", { class: "type" }, `${typeOf(one.schema)} · ${one.in}`), limits(one.schema),
      one.required && h("span", { class: "required" }, "required"), prose(one.description))))],
    media && [h("h2", null, operation.method === "event" ? "What is sent" : "Body", h("span", { class: "type" }, ` ${kind}`)),
      h("div", { class: "card" }, fields(media.schema)),
      example !== undefined && h("details", { open: true }, h("summary", null, "Example"), h("pre", { tabindex: "0" }, json(example)))],
    operation.method !== "event" && [h("h2", { id: "try" }, "Try a request"), form(operation, parameters, kind, example)],
    h("h2", null, "Answers"), h("div", { class: "card" }, Object.entries(operation.responses).map(answer)),
  ].flat(9).filter(Boolean);
}

function who(operation) {
  const ways = { cookie: "session (cookie)", token: "session (bearer)", apiKey: `API key: ${operation["x-scope"]}`, cart: "guest’s cart", webhookSignature: "signed by the shop" };
  const names = (operation.security ?? []).flatMap((way) => Object.keys(way).map((one) => ways[one] ?? "signed by the provider"));
  const anybody = !operation.security?.length || operation.security.some((way) => !Object.keys(way).length);
  const all = [anybody && "anybody", operation["x-role"] && `role ${operation["x-role"]}`, ...names].filter(Boolean);
  return h("ul", { class: "who", "aria-label": "Who may call" }, all.map((one) => h("li", null, one)));
}

function answer([status, response]) {
  const target = resolve(response);
  const [kind, media] = Object.entries(target.content ?? {})[0] ?? [];
  const good = status < "4";
  const codes = media?.schema?.allOf?.[1]?.properties?.code?.enum;
  const example = exampleOf(media);
  const headers = Object.entries(target.headers ?? {});
  return h("details", { class: "answer", open: status.startsWith("2") },
    h("summary", null, h("span", { class: `status ${good ? "good" : "bad"}` }, status), codes ? codes.slice(0, 4).join(", ") + (codes.length > 4 ? ", …" : "") : target.description),
    h("div", null, codes && prose(target.description), headers.length && h("dl", { class: "head" }, headers.map(([name, header]) => [h("dt", null, name), h("dd", null, inline(resolve(header).description))])),
      media && !codes && [h("p", { class: "type" }, kind), fields(media.schema ?? {})],
      example !== undefined && h("pre", { tabindex: "0" }, json(example))));
}

/* Trying it */

function form(operation, parameters, kind, example) {
  const inputs = parameters.map((one) => {
    const known = resolve(one.schema).enum;
    const input = known ? h("select", { name: one.name }, h("option", { value: "" }, ""), known.map((value) => h("option", null, value)))
      : h("input", { name: one.name, required: one.in === "path", placeholder: one.example ?? "", autocomplete: "off" });
    if (one.in === "path" && one.example !== undefined && !known) input.value = one.example;
    return { one, input };
  });
  const text = kind === "application/json" && h("textarea", { "aria-label": "Body", spellcheck: "false" }, example === undefined ? "{}" : json(example));
  const file = kind === "multipart/form-data" && h("input", { type: "file", "aria-label": "File" });
  const output = h("div", { role: "status", "aria-live": "polite" });
  const request = () => {
    let path = operation.path;
    const query = new URLSearchParams();
    const headers = {};
    for (const { one, input } of inputs) {
      if (one.in === "path") path = path.replace(`{${one.name}}`, encodeURIComponent(input.value));
      else if (input.value !== "" && one.in === "query") query.append(one.name, input.value);
      else if (input.value !== "" && one.in === "header") headers[one.name] = input.value;
    }
    if ($("token").value) headers.Authorization = `Bearer ${$("token").value.trim()}`;
    if (text) headers["Content-Type"] = "application/json";
    const body = file ? new FormData() : text ? text.value : undefined;
    if (file && file.files[0]) body.append("file", file.files[0]);
    return { url: path + (query.size ? `?${query}` : ""), headers, body };
  };
  return h("form", { class: "card try", onsubmit: async (event) => {
    event.preventDefault();
    output.replaceChildren(h("p", { class: "quiet" }, "Waiting for the answer…"));
    output.replaceChildren(...await send(operation.method, request()));
  } },
    inputs.length && h("div", { class: "inputs" }, inputs.map(({ one, input }) => h("label", null, `${one.name}${one.required ? " *" : ""}`, input))),
    text, file,
    h("div", { class: "go" }, h("button", { class: "main" }, "Send"),
      h("button", { type: "button", onclick: () => output.replaceChildren(h("pre", { tabindex: "0" }, curl(operation.method, request()))) }, "As curl"),
      h("span", { class: "quiet" }, `to ${location.origin}`)),
    output);
}

async function send(verb, { url, headers, body }) {
  const start = performance.now();
  try {
    const response = await fetch(url, { method: verb.toUpperCase(), headers, body, redirect: "manual" });
    const kind = response.headers.get("content-type") ?? "";
    const blob = await response.blob();
    const took = Math.round(performance.now() - start);
    const head = [...response.headers].map(([name, value]) => [h("dt", null, name), h("dd", null, value)]);
    return [h("p", null, h("span", { class: `status ${response.ok ? "good" : "bad"}`, id: "status" }, `${response.status} ${response.statusText}`), h("span", { class: "quiet" }, `${took} ms · ${blob.size} bytes`)),
      h("details", null, h("summary", null, "Headers"), h("dl", { class: "head" }, head)), await shown(kind, blob)];
  } catch (error) {
    return [h("p", { class: "bad" }, `No answer: ${error.message}`)];
  }
}

async function shown(kind, blob) {
  if (kind.startsWith("application/json")) {
    const text = await blob.text();
    try { return h("pre", { tabindex: "0", id: "answer" }, json(JSON.parse(text))); } catch { return h("pre", null, text); }
  }
  if (kind.startsWith("text/") || kind.includes("xml") || kind.includes("openmetrics")) {
    return h("pre", { tabindex: "0", id: "answer" }, (await blob.text()).slice(0, 100_000));
  }
  return blob.size ? h("a", { href: URL.createObjectURL(blob), download: "answer" }, `Save ${kind}`) : "";
}

function curl(verb, { url, headers, body }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const head = Object.entries(headers).map(([name, value]) => ` \\\n  -H ${quoted(`${name}: ${name === "Authorization" ? "Bearer $TOKEN" : value}`)}`);
  const data = typeof body === "string" ? ` \\\n  -d ${quoted(body)}` : body ? " \\\n  -F file=@picture.jpg" : "";
  return `curl -X ${verb.toUpperCase()} ${quoted(location.origin + url)}${head.join("")}${data}`;
}

/* The page */

function home() {
  const schemes = Object.entries(api.components.securitySchemes);
  return [
    h("h1", null, api.info.title), h("p", { class: "quiet" }, `Version ${api.info.version} · OpenAPI ${api.openapi} · `, h("a", { href: "/api/openapi.json" }, "openapi.json")),
    ...prose(api.info.description),
    h("h2", null, "Topics"),
    h("ul", { class: "groups" }, api.tags.map((tag) => {
      const first = operations.find((one) => one.tag === tag.name);
      return h("li", null, h("a", { href: `#${first?.id ?? ""}` }, h("strong", null, tag.name), h("span", { class: "quiet" }, tag.description)));
    })),
    h("h2", null, "Who calls"),
    h("div", { class: "card" }, schemes.map(([name, scheme]) => h("div", { class: "field" }, h("span", { class: "name" }, name),
      h("span", { class: "type" }, [scheme.type, scheme.scheme ?? scheme.in, scheme.name].filter(Boolean).join(" · ")), prose(scheme.description)))),
  ];
}

function route() {
  const operation = operations.find((one) => one.id === decodeURIComponent(location.hash.slice(1)));
  $("main").replaceChildren(...(operation ? show(operation) : home()));
  document.title = `${operation ? operation.summary : api.info.title} · API`;
  list();
  menu(false);
  scrollTo(0, 0);
  $("list").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

function menu(open) {
  $("nav").classList.toggle("open", open);
  $("menu").setAttribute("aria-expanded", String(open));
}

function theme(name) {
  document.documentElement.dataset.theme = name;
  try { localStorage.setItem("theme", name); } catch { /* a browser that keeps nothing */ }
}

function kept() {
  try { return localStorage.getItem("theme"); } catch { return null; }
}

theme(kept() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
$("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
$("menu").addEventListener("click", () => menu(!$("nav").classList.contains("open")));
$("search").addEventListener("input", list);
$("nav").addEventListener("keydown", walk);
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, textarea, select")) return;
  event.preventDefault();
  menu(true);
  $("search").focus();
});
addEventListener("hashchange", () => {
  if (location.hash === "#main" || location.hash === "#try") return;
  route();
  $("main").focus({ preventScroll: true });
});

fetch("/api/openapi.json").then((response) => response.json()).then((document_) => {
  api = document_;
  operations = collect();
  $("title").textContent = api.info.title;
  route();
}).catch((error) => $("main").replaceChildren(h("p", { class: "bad" }, `The document cannot be read: ${error.message}`)));
