//! Links from an answer that makes something to the operations that go on with it: programs that
//! read the document can follow them, and fuzzers do.

use serde_json::{Map, Value, json};

/// Adds to each `POST` that is answered by what it made a link to every operation on it: those
/// whose path has one parameter more. `paths` and `components` are the document's own.
pub(super) fn add(paths: &mut Map<String, Value>, components: &Map<String, Value>) {
    let all: Vec<(String, Vec<String>)> =
        paths.iter().map(|(path, operations)| (path.clone(), operation_ids(operations))).collect();
    for (path, operations) in paths.iter_mut() {
        let Some(answer) = operations.pointer_mut("/post/responses/201") else { continue };
        let made = fields(answer, components);
        let mut links = Map::new();
        for (below, ids) in &all {
            let Some(parameters) = parameters(path, below, &made) else { continue };
            for id in ids {
                let link = json!({ "operationId": id, "parameters": parameters });
                links.insert(id.clone(), link);
            }
        }
        if !links.is_empty() {
            answer["links"] = links.into();
        }
    }
}

fn operation_ids(operations: &Value) -> Vec<String> {
    let all = operations.as_object().into_iter().flat_map(Map::values);
    all.filter_map(|operation| operation["operationId"].as_str()).map(str::to_owned).collect()
}

/// The names of the fields of an answer's body, which names its type.
fn fields(answer: &Value, components: &Map<String, Value>) -> Vec<String> {
    let name = answer.pointer("/content/application~1json/schema/$ref").and_then(Value::as_str);
    let schema = name.and_then(|name| components.get(name.rsplit('/').next()?));
    let fields = schema.and_then(|schema| schema["properties"].as_object());
    fields.into_iter().flat_map(Map::keys).cloned().collect()
}

/// Where the parameters of the path `below` come from after a `POST` to `path`; none where it is
/// not about what that made.
fn parameters(path: &str, below: &str, made: &[String]) -> Option<Map<String, Value>> {
    let rest = below.strip_prefix(path)?.strip_prefix("/{")?;
    let (own, rest) = rest.split_once('}')?;
    if rest.contains('{') {
        return None;
    }
    let field = [own, "id"].into_iter().find(|field| made.iter().any(|it| it == field))?;
    let above = path.split('{').skip(1).filter_map(|part| part.split_once('}'));
    let mut parameters: Map<String, Value> =
        above.map(|(name, _)| (name.to_owned(), format!("$request.path.{name}").into())).collect();
    parameters.insert(own.to_owned(), format!("$response.body#/{field}").into());
    Some(parameters)
}
