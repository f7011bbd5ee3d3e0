//! What a shop prints to send orders without a carrier's contract: labels with the address, the
//! declaration of content that Correios ask for where there is no invoice, and packing slips.

mod address;
mod content;
mod sheet;
mod slip;

use printpdf::{PdfDocument, PdfSaveOptions};
use serde::Deserialize;

use self::sheet::{Party, Sheet};
use crate::error::{Error, Refusal, Result, check_count};
use crate::id::OrderId;
use crate::order::Orders;
use crate::storage::Tx;
use crate::value::InvalidValue;

/// How many orders are printed at once.
const MAX_ORDERS: usize = 100;
/// How many parcels are printed at once: as many as one order may have.
const MAX_PARCELS: usize = 1000;

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LabelKind {
    /// A label with sender and recipient for each parcel, of A6.
    Address,
    /// The declaration of content for each parcel, two copies on a page of A4.
    Content,
    /// What goes into which parcel, for the person who packs.
    Slip,
}

impl LabelKind {
    /// As it stands in the names of files: `etiquetas`, `declaracoes`, `separacao`.
    pub fn file_stem(self) -> &'static str {
        match self {
            Self::Address => "etiquetas",
            Self::Content => "declaracoes",
            Self::Slip => "separacao",
        }
    }
}

impl Orders<'_> {
    /// Labels, declarations or slips of orders, in the order in which they are named, as one PDF.
    /// An order of which nothing is left to be sent has no page.
    ///
    /// # Errors
    /// [`Error::Invalid`] for none, and for more than 100 orders or 1,000 parcels;
    /// [`Entity::Order`](crate::error::Entity::Order) for one that is not there;
    /// [`Refusal::OrderNotShippable`] where nothing is left to be sent of any.
    ///
    /// Cancel safe: reads only.
    pub async fn print_labels(&self, kind: LabelKind, orders: &[OrderId]) -> Result<Vec<u8>> {
        check_count("ids", orders.len(), MAX_ORDERS)?;
        let (sender, orders) = (Party::sender(self.cx.config()), orders.to_vec());
        let job = move |tx: &mut dyn Tx| {
            let mut sheets: Vec<Sheet> = Vec::new();
            for id in &orders {
                sheets.push(Sheet::read(tx, id, &sender)?);
                if sheets.iter().map(|sheet| sheet.parcels.len()).sum::<usize>() > MAX_PARCELS {
                    let most = InvalidValue::MaxItems { most: MAX_PARCELS as u64 };
                    return Err(Error::field("ids", most));
                }
            }
            sheets.retain(|sheet| !sheet.parcels.is_empty());
            if sheets.is_empty() {
                return Err(Error::Refused(Refusal::OrderNotShippable));
            }
            Ok(sheets)
        };
        let sheets = self.cx.db().read("order.labels", job).await?;
        let now = self.cx.now();
        // Hundreds of pages take a while.
        let drawn = tokio::task::spawn_blocking(move || {
            let pages = sheets.iter().flat_map(|sheet| match kind {
                LabelKind::Address => address::pages(sheet),
                LabelKind::Content => content::pages(sheet, now),
                LabelKind::Slip => slip::pages(sheet),
            });
            let pages: Vec<printpdf::PdfPage> = pages.collect();
            let mut pdf = PdfDocument::new(kind.file_stem());
            pdf.with_pages(pages).save(&PdfSaveOptions::default(), &mut Vec::new())
        });
        drawn.await.map_err(Error::from_source)
    }
}
