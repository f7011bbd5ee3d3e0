//! The back office (`/api/admin`).

mod audit;

use crate::route::Route;

/// The rows of all topics.
pub(super) fn rows() -> Vec<Route> {
    [audit::rows()].into_iter().flatten().collect()
}
