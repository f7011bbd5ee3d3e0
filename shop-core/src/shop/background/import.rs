//! Imports of products that were decided and whose process died.

use std::time::Duration;

use crate::catalog;
use crate::shop::Shop;

/// How often to look for one. Nobody can change the catalogue until it is finished.
const INTERVAL: Duration = Duration::from_secs(5);

impl Shop {
    pub(super) async fn import_in_rounds(&self) {
        loop {
            self.finish_import().await;
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// How many were finished.
    pub(super) async fn finish_import(&self) -> usize {
        let finish = catalog::finish_import(&self.inner.cx);
        self.inner.background_failures.guard("imports", finish).await.unwrap_or_default()
    }
}
