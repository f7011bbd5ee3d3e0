//! Questions to a JSON schema as schemars makes it.

use serde_json::Value;

use crate::raw_json;

/// Follows `$ref`, which points into the root schema.
pub(crate) fn resolve<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let pointer = schema["$ref"].as_str().and_then(|to| to.strip_prefix('#'));
    match pointer.and_then(|pointer| root.pointer(pointer)) {
        Some(target) => resolve(root, target),
        None => schema,
    }
}

/// What a schema is about besides `null`: the only one of its alternatives that is about anything
/// else, or the schema itself.
pub(crate) fn subject<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let schema = resolve(root, schema);
    let mut others = list(&schema["anyOf"]).iter().filter(|one| one["type"] != "null");
    match (others.next(), others.next()) {
        (Some(only), None) => resolve(root, only),
        _ => schema,
    }
}

/// Whether a schema allows `null`.
pub(crate) fn allows_null(root: &Value, schema: &Value) -> bool {
    let schema = resolve(root, schema);
    let restricted = ["type", "anyOf", "oneOf", "enum", "const"];
    wants(schema, "null")
        || list(&schema["enum"]).contains(&Value::Null)
        || list(&schema["anyOf"]).iter().any(|one| allows_null(root, one))
        || restricted.iter().all(|word| schema.get(word).is_none())
}

/// Whether a schema names a type.
pub(crate) fn wants(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::String(only) => only == name,
        Value::Array(several) => several.iter().any(|one| one == name),
        _ => false,
    }
}

/// Whether a list, given as its JSON text, has more items than its schema allows.
pub(crate) fn is_too_long(schema: &Value, raw: &str) -> bool {
    let max = schema["maxItems"].as_u64();
    max.is_some_and(|max| raw_json::count_items(raw, max.saturating_add(1)) > max)
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
