//! What an event says that staff send to try an endpoint.

use serde::Deserialize;

/// The data of `webhook.test`.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct EventTest {
    /// For people.
    pub message: String,
}
