use std::path::PathBuf;

use clap::{Args, Subcommand};
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::catalog::ProductExportFilter;
use shop_core::order::OrderStatus;
use shop_core::value::{Since, Until};
use shop_core::views::CustomerExportFilter;
use shop_core::views::OrderExportFilter;

use crate::arguments::{parse_since, parse_status, parse_until};
use crate::destination::write_pieces;
use crate::failure::Failure;

/// Files for spreadsheet programs.
#[derive(Debug, Subcommand)]
pub(crate) enum Export {
    /// Writes orders as CSV, oldest first
    Orders(Orders),
    /// Writes customers as CSV, oldest first; the audit log keeps that they were taken along
    Customers(Customers),
    /// Writes the catalogue as CSV, as `import products` reads it
    Products(Products),
}

#[derive(Debug, Args)]
pub(crate) struct Orders {
    /// Only those in this status, e.g. SHIPPED
    #[arg(long, value_parser = parse_status)]
    status: Option<OrderStatus>,
    /// Placed on this day (2026-11-21) or at this time (2026-11-21T10:00:00-03:00), or later
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    from: Option<Since>,
    /// Placed until the end of this day, or before this time
    #[arg(long, value_name = "TIME", value_parser = parse_until)]
    to: Option<Until>,
    /// Where to; `-` is stdout
    #[arg(long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Customers {
    /// Only active accounts (true), or only suspended ones (false)
    #[arg(long, value_name = "BOOL")]
    active: Option<bool>,
    /// Only guests (true), or only accounts with a password (false)
    #[arg(long, value_name = "BOOL")]
    guest: Option<bool>,
    /// Where to; `-` is stdout
    #[arg(long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Products {
    /// Only those on sale (true), or only those that are not (false)
    #[arg(long, value_name = "BOOL")]
    active: Option<bool>,
    /// Where to; `-` is stdout
    #[arg(long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

impl Export {
    pub(crate) async fn run(self, shop: &Shop) -> Result<(), Failure> {
        match self {
            Self::Orders(Orders { status, from, to, output }) => {
                let filter = OrderExportFilter { status, from, to };
                let pieces = shop.orders().export_csv(&Actor::System, filter).await?;
                write_pieces(shop, &output, pieces).await
            }
            Self::Customers(Customers { active, guest, output }) => {
                let filter = CustomerExportFilter { active, guest };
                let pieces = shop.customers().export_csv(&Actor::System, filter).await?;
                write_pieces(shop, &output, pieces).await
            }
            Self::Products(wanted) => products(shop, wanted).await,
        }
    }
}

pub(crate) async fn products(shop: &Shop, wanted: Products) -> Result<(), Failure> {
    let Products { active, output } = wanted;
    write_pieces(shop, &output, shop.products().export_csv(ProductExportFilter { active })).await
}
