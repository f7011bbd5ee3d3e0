//! The catalogue out, into a file, a piece at a time.

use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use serde::Deserialize;

use super::cells::{Held, variant_cells};
use super::column::Column;
use super::entry::{self, Entry};
use crate::catalog::Products;
use crate::context::Context;
use crate::error::Result;
use crate::spreadsheet::Spreadsheet;
use crate::storage::{Filter, Tx};

/// Products of one piece: what is in memory at a time.
const PIECE: u32 = 100;

/// Which products to export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ProductExportFilter {
    /// Only those on sale, or only those that are not.
    pub active: Option<bool>,
}

impl Products<'_> {
    /// The catalogue as a CSV file (`export.decimal`) that [`Products::import_csv`] reads, oldest
    /// products first. A piece is read when it is asked for, each in a transaction of its own, so
    /// it takes the same memory however many products there are. Of categories it has slug and
    /// name; of what invoices need, what products say themselves.
    pub fn export_csv(
        &self,
        filter: ProductExportFilter,
    ) -> impl Stream<Item = Result<Vec<u8>>> + Send + use<> {
        let sheet = Spreadsheet::new(self.cx.config().export);
        let head = stream::once(async move { sheet.head(&Column::ALL.map(Column::as_str)) });
        let body = pieces(self.cx.clone(), filter).and_then(move |piece| async move {
            let mut rows = Vec::new();
            for product in &piece {
                let slug = product.state.slug.as_str();
                rows.push(product.cells(sheet)?);
                rows.extend(product.variants.iter().map(|it| variant_cells(slug, it, sheet)));
            }
            sheet.rows(rows.iter().map(|row| row.iter().map(Held::cell).collect()))
        });
        head.chain(body)
    }
}

fn pieces(
    cx: Context,
    filter: ProductExportFilter,
) -> impl Stream<Item = Result<Vec<Entry>>> + Send {
    stream::try_unfold(Some((cx, 0)), move |state| async move {
        let Some((cx, after)) = state else { return Ok(None) };
        let job = move |tx: &mut dyn Tx| following(tx, filter, after);
        let piece = cx.db().read("product.export", job).await?;
        let full = u32::try_from(piece.len()) == Ok(PIECE);
        let next = piece.last().filter(|_| full).map(|last| (cx, last.pk));
        Ok((!piece.is_empty()).then_some((piece, next)))
    })
}

fn following(tx: &mut dyn Tx, wanted: ProductExportFilter, after: i64) -> Result<Vec<Entry>> {
    let mut filter = Filter::default();
    filter.compare("pk >", Some(after));
    filter.compare("active =", wanted.active);
    let conditions = filter.sql().to_owned();
    let limit = filter.bind(PIECE);
    let piece = format!("SELECT pk AS piece_pk FROM product{conditions} ORDER BY pk LIMIT {limit}");
    entry::load(tx, &piece, filter.params())
}
