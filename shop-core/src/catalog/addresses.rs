//! The products that have a page, for lists of a shop's pages as search engines read them.

use std::num::NonZeroU32;

use futures_util::stream::{self, Stream};

use super::Products;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::storage::{Tx, params, read_columns};
use crate::value::Slug;

/// Products of one piece: what is in memory at a time.
const PIECE: i64 = 1000;

/// A product that has a page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProductAddress {
    /// Its name in addresses; [`Config::product_url`](crate::Config::product_url) makes one of it.
    pub slug: Slug,
    /// When the product last changed.
    pub updated_at: Timestamp,
    pk: i64,
}

read_columns!(ProductAddress: pk, slug, updated_at);

impl Products<'_> {
    /// The numbers, from 1, of the parts in which [`Self::addresses`] are to be had, of at most
    /// `size` products each. A product keeps its part for as long as it exists, whatever happens to
    /// others: a part is so many products in the order in which they were entered.
    ///
    /// Cancel safe: reads only.
    pub async fn address_parts(&self, size: NonZeroU32) -> Result<Vec<u32>> {
        let job = move |tx: &mut dyn Tx| {
            let last: Option<i64> =
                tx.one("SELECT max(pk) FROM product", &[], |row| row.get(0))?.flatten();
            let mut parts = Vec::new();
            for part in 1.. {
                let (after, to) = range(size, part);
                if after >= last.unwrap_or(0) {
                    break;
                }
                let any = "SELECT 1 FROM product WHERE pk > $1 AND pk <= $2 AND active = 1 LIMIT 1";
                if tx.exists(any, params![after, to])? {
                    parts.push(part);
                }
            }
            Ok(parts)
        };
        self.cx.db().read_public("product.address_parts", job).await
    }

    /// The products on sale of a part ([`Self::address_parts`]), in the order in which they were
    /// entered. A piece is read when it is asked for, each in a transaction of its own, so it takes
    /// the same memory however many products there are.
    pub fn addresses(
        &self,
        size: NonZeroU32,
        part: u32,
    ) -> impl Stream<Item = Result<Vec<ProductAddress>>> + Send + use<> {
        let (after, to) = range(size, part);
        stream::try_unfold((self.cx.clone(), after), move |(cx, after)| async move {
            let job = move |tx: &mut dyn Tx| following(tx, after, to);
            let piece = cx.db().read_public("product.addresses", job).await?;
            Ok(piece.last().map(|last| last.pk).map(|last| (piece, (cx, last))))
        })
    }
}

/// What the `pk`s of a part come after, and the last one.
fn range(size: NonZeroU32, part: u32) -> (i64, i64) {
    let size = i64::from(size.get());
    let after = size.saturating_mul(i64::from(part) - 1);
    (after, after.saturating_add(size))
}

fn following(tx: &mut dyn Tx, after: i64, to: i64) -> Result<Vec<ProductAddress>> {
    tx.list(
        "SELECT pk, slug, updated_at FROM product
         WHERE pk > $1 AND pk <= $2 AND active = 1 ORDER BY pk LIMIT $3",
        params![after, to, PIECE],
    )
}
