//! The schemas of everything that goes over the wire, as it is read and as it is written.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

pub(crate) struct Schemas {
    input: SchemaGenerator,
    output: SchemaGenerator,
}

impl Default for Schemas {
    fn default() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
            })
        };
        Self {
            input: settings().for_deserialize().into_generator(),
            output: settings().for_serialize().into_generator(),
        }
    }
}

impl Schemas {
    pub(crate) fn input<T: JsonSchema>(&mut self) -> Value {
        self.input.subschema_for::<T>().to_value()
    }

    /// The schema of a struct itself, not a reference to it.
    pub(crate) fn input_fields<T: JsonSchema>(&mut self) -> Value {
        T::json_schema(&mut self.input).to_value()
    }

    pub(crate) fn output<T: JsonSchema>(&mut self) -> Value {
        self.output.subschema_for::<T>().to_value()
    }

    /// All named schemas, and the names that mean one thing in inputs and another in outputs.
    pub(super) fn into_components(mut self) -> (Map<String, Value>, Vec<String>) {
        let mut all = self.output.take_definitions(true);
        let mut ambiguous = Vec::new();
        for (name, schema) in self.input.take_definitions(true) {
            match all.get(&name) {
                Some(other) if *other != schema => ambiguous.push(name),
                _ => drop(all.insert(name, schema)),
            }
        }
        (all, ambiguous)
    }
}
