//! The back office (`/api/admin`).

mod audit;
mod nfe;

use crate::route::Route;

/// The rows of all topics.
pub(super) fn rows() -> Vec<Route> {
    [audit::rows(), nfe::rows()].into_iter().flatten().collect()
}
