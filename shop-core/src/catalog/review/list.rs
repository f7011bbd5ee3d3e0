//! The reviews of a product, as shoppers see them.

use super::{ReviewList, Reviews, store};
use crate::error::{Entity, Error, Result};
use crate::storage::Tx;

/// How many of the latest reviews a list shows; its summary counts all.
const LIST_LENGTH: i64 = 100;

impl Reviews<'_> {
    /// The approved reviews of the product with this slug.
    ///
    /// # Errors
    /// [`Entity::Product`] when there is none on sale.
    ///
    /// Cancel safe: reads only.
    pub async fn list_for_product(&self, slug: &str) -> Result<ReviewList> {
        let slug = slug.to_owned();
        self.cx.db().read_public("review.list", move |tx| load(tx, &slug)).await
    }
}

fn load(tx: &mut dyn Tx, slug: &str) -> Result<ReviewList> {
    let (product, summary) =
        store::find_on_sale(tx, slug)?.ok_or(Error::NotFound(Entity::Product))?;
    Ok(ReviewList { data: store::latest(tx, &product, LIST_LENGTH)?, summary })
}
