//! The back office (`/api/admin`).

mod audit;
mod refunds;

use crate::route::Route;

/// The rows of all topics.
pub(super) fn rows() -> Vec<Route> {
    [audit::rows(), refunds::rows()].into_iter().flatten().collect()
}
