//! An issuer that a program brings along, whose calls end, as those of the tax office's own client
//! do.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::issuer::{IssuerError, KnownCorrection, NfeIssuer, Outcome, Registered};
use super::key::AccessKey;

/// An issuer, each of whose calls is given up after a while. What was handed over may have been
/// processed all the same.
pub(crate) struct InTime {
    issuer: Arc<dyn NfeIssuer>,
    limit: Duration,
}

type Answer<'a, T> = BoxFuture<'a, Result<T, IssuerError>>;

impl InTime {
    pub(crate) fn new(issuer: Arc<dyn NfeIssuer>, limit: Duration) -> Self {
        Self { issuer, limit }
    }

    fn wait<'a, T: 'a>(&'a self, call: Answer<'a, T>) -> Answer<'a, T> {
        let given_up = |_| Err(IssuerError::NoAnswer("it takes too long".to_owned()));
        let answered = tokio::time::timeout(self.limit, call);
        Box::pin(async move { answered.await.unwrap_or_else(given_up) })
    }
}

impl NfeIssuer for InTime {
    fn name(&self) -> &'static str {
        self.issuer.name()
    }

    fn authorize<'a>(&'a self, nfe: &'a str, key: &'a AccessKey) -> Answer<'a, Outcome> {
        self.wait(self.issuer.authorize(nfe, key))
    }

    fn status_of<'a>(&'a self, key: &'a AccessKey) -> Answer<'a, Outcome> {
        self.wait(self.issuer.status_of(key))
    }

    fn cancel<'a>(&'a self, event: &'a str, key: &'a AccessKey) -> Answer<'a, Registered> {
        self.wait(self.issuer.cancel(event, key))
    }

    fn correct<'a>(&'a self, event: &'a str, key: &'a AccessKey) -> Answer<'a, Registered> {
        self.wait(self.issuer.correct(event, key))
    }

    fn correction_of<'a>(
        &'a self,
        key: &'a AccessKey,
        sequence: u8,
    ) -> Answer<'a, Option<KnownCorrection>> {
        self.wait(self.issuer.correction_of(key, sequence))
    }

    fn disable_numbers<'a>(&'a self, request: &'a str) -> Answer<'a, Registered> {
        self.wait(self.issuer.disable_numbers(request))
    }
}
