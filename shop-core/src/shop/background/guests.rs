//! Deleting the accounts of guests who ordered nothing.

use crate::error::Result;
use crate::guest;
use crate::shop::Shop;

impl Shop {
    /// Deletes what guests left behind who did not order, each account on its own: one that cannot
    /// be deleted now is looked at again later, after the others.
    pub(super) async fn purge_guests(&self) -> Result<usize> {
        let (cx, failures) = (&self.inner.cx, &self.inner.background_failures);
        let mut purged = 0;
        for id in guest::abandoned(cx).await? {
            if let Some(is_gone) = failures.guard("purge_guest", guest::purge(cx, &id)).await {
                purged += usize::from(is_gone);
            } else {
                tracing::warn!(account = %id, "the guest's account stays for now");
                guest::look_again(cx, &id).await?;
            }
        }
        Ok(purged)
    }
}
