//! The back office (`/api/admin`).

mod api_keys;
mod audit;

use crate::route::Route;

/// The rows of all topics.
pub(super) fn rows() -> Vec<Route> {
    [api_keys::rows(), audit::rows()].into_iter().flatten().collect()
}
