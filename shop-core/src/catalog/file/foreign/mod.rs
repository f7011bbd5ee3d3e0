//! Files of products that other programs export, brought into the columns of the shop's own.

mod html;
mod line;
mod options;
mod shopify;
mod woocommerce;

use std::io::{Read, Seek};

use self::line::{Line, Lines};
use self::woocommerce::Variations;
use super::records::Records;
use super::row::Row;
use crate::error::Result;
use crate::value::wire_enum;

wire_enum! {
    /// Whose columns a file of products has.
    #[derive(Default)]
    pub enum FileFormat {
        /// The shop's own, as it exports them.
        #[default]
        Shop = "shop",
        /// `WooCommerce`'s product export, with its names in English or Portuguese.
        WooCommerce = "woocommerce",
        /// Shopify's product export, of either generation.
        Shopify = "shopify",
        /// Nuvemshop's (Tiendanube's) product export, with its names in Portuguese.
        Nuvemshop = "nuvemshop",
    }
}

/// Reads a file of another program product by product.
pub(super) struct Foreign(Reader);

enum Reader {
    /// A product's lines follow each other.
    Grouped { columns: options::Columns, ahead: Option<Line> },
    /// Variations stand anywhere.
    WooCommerce(Variations),
}

impl Foreign {
    /// # Errors
    /// [`crate::Error::Invalid`] where the columns are not those of the format.
    pub(super) fn open<R: Read + Seek>(
        format: FileFormat,
        head: &csv::ByteRecord,
        records: &mut Records<R>,
    ) -> Result<Self> {
        let lines = Lines::of(head);
        let grouped = |columns| Reader::Grouped { columns, ahead: None };
        Ok(Self(match format {
            FileFormat::WooCommerce => Reader::WooCommerce(Variations::find(&lines, records)?),
            FileFormat::Shopify => grouped(shopify::columns(&lines)?),
            FileFormat::Shop | FileFormat::Nuvemshop => grouped(options::nuvemshop(&lines)?),
        }))
    }

    /// The rows of the next product; none at the end.
    pub(super) fn next<R: Read + Seek>(&mut self, records: &mut Records<R>) -> Result<Vec<Row>> {
        match &mut self.0 {
            Reader::WooCommerce(variations) => variations.next(records),
            Reader::Grouped { columns, ahead } => {
                let Some(first) = (match ahead.take() {
                    Some(first) => Some(first),
                    None => Line::next(records)?,
                }) else {
                    return Ok(Vec::new());
                };
                let mut bytes = first.size();
                let mut of_product = vec![first];
                while let Some(line) = Line::next(records)? {
                    if !columns.is_of(&of_product, bytes, &line)? {
                        *ahead = Some(line);
                        break;
                    }
                    bytes += line.size();
                    of_product.push(line);
                }
                Ok(columns.rows(&of_product))
            }
        }
    }
}
