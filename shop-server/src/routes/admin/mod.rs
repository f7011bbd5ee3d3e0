//! The back office (`/api/admin`).

mod audit;
mod webhooks;

use crate::route::Route;

/// The rows of all topics.
pub(super) fn rows() -> Vec<Route> {
    [audit::rows(), webhooks::rows()].into_iter().flatten().collect()
}
