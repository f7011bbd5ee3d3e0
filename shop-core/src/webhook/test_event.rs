//! What an event says that staff send to try an endpoint.

use serde::{Deserialize, Serialize};

/// The data of `webhook.test`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct EventTest {
    /// For people.
    pub message: String,
}
