//! What waits in the writer's queue.

use tokio::sync::oneshot;

use super::Job;
use crate::error::Result;

pub(crate) struct Work {
    pub(crate) name: &'static str,
    pub(crate) job: Job,
    pub(crate) done: oneshot::Sender<Result<()>>,
}
