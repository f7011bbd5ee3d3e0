//! Answers of the tax office that need another question.

use super::Invoices;
use super::store::{self, StoredInvoice};
use crate::error::{Error, Result};
use crate::nfe::AccessKey;
use crate::nfe::issuer::{IssuerError, NUMBER_TAKEN, NfeIssuer, Outcome};
use crate::storage::Tx;

/// Settles what needs another question: a duplicate is looked up, and a number that is taken may
/// be by an earlier document of this very invoice.
pub(super) async fn conclusive(
    invoices: &Invoices<'_>,
    issuer: &dyn NfeIssuer,
    stored: &StoredInvoice,
    outcome: Outcome,
) -> Result<Result<Outcome, IssuerError>> {
    let id = stored.invoice.id.clone();
    let keys: Vec<String> = match &outcome {
        Outcome::Duplicate { .. } => stored.invoice.key.clone().into_iter().collect(),
        Outcome::Rejected { code: NUMBER_TAKEN, .. } => {
            let job = move |tx: &mut dyn Tx| store::documents(tx, &id);
            let documents = invoices.cx.db().read("nfe.documents", job).await?;
            documents.into_iter().map(|document| document.key).collect()
        }
        _ => return Ok(Ok(outcome)),
    };
    for key in keys {
        match issuer.status_of(&parse_key(&key)?).await {
            Ok(Outcome::Unknown | Outcome::Duplicate { .. }) => {}
            other => return Ok(other),
        }
    }
    match outcome {
        Outcome::Duplicate { text } => Ok(Err(IssuerError::Garbage(text))),
        other => Ok(Ok(other)),
    }
}

pub(super) fn parse_key(key: &str) -> Result<AccessKey> {
    key.parse().map_err(Error::from_source)
}
