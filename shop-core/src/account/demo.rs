//! Accounts of the demonstration in a shop that sells.

use super::store;
use crate::config::Environment;
use crate::context::Context;
use crate::error::Result;
use crate::lane;
use crate::storage::Tx;

/// In production, suspends the accounts that the demonstration made and that still have its
/// e-mails: their passwords stand in the documents, and a shop's file may have begun as a
/// demonstration.
pub(crate) async fn suspend_demo(cx: &Context) -> Result<()> {
    if cx.config().environment != Environment::Production {
        return Ok(());
    }
    if !cx.db().read("account.has_demo", store::has_active_demo).await? {
        return Ok(());
    }
    let at = cx.work();
    let job = move |tx: &mut dyn Tx| store::suspend_demo(tx, &at);
    let suspended = cx.db().write(lane::CUSTOMERS, "account.suspend_demo", job).await?;
    tracing::warn!(
        suspended,
        "accounts of the demonstration were suspended, since their passwords are published; make \
         another with `shop-cli admin create`"
    );
    Ok(())
}
