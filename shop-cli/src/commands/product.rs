use clap::{Args, Subcommand};
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::catalog::{AdminProduct, AdminProductFilter, Product};
use shop_core::error::{Entity, Error};
use shop_core::page::Page;
use shop_core::value::{OptionalText, StockLevel, Text};

use super::export::{self, Products};
use super::import::{self, Import};
use crate::arguments::{Paging, tell_rest};
use crate::failure::Failure;
use crate::output::{Format, Table};

/// What is sold.
#[derive(Debug, Subcommand)]
pub(crate) enum ProductCommand {
    /// Lists products, on sale or not, newest first
    List(List),
    /// Shows a product with its variants
    Show {
        /// Its slug, its id or an article number
        product: String,
    },
    /// Adds the products of a CSV file; the same as `import products`
    Import(Import),
    /// Writes the catalogue as CSV; the same as `export products`
    Export(Products),
    /// Sets how many units of a product or a variant there are; the ledger keeps the difference
    SetStock {
        /// An article number, a product's slug, or the id of a product or a variant
        item: String,
        /// Units that are left
        #[arg(value_parser = parse_units)]
        units: StockLevel,
        /// Why, for the audit log
        #[arg(long)]
        reason: Option<Text<1, 200>>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Words of the name, each by its beginning
    #[arg(long, value_name = "WORDS")]
    search: Option<OptionalText<200>>,
    /// Only those in the category with this slug
    #[arg(long, value_name = "SLUG")]
    category: Option<OptionalText<120>>,
    /// Only those on sale (true), or only those that are not (false)
    #[arg(long, value_name = "BOOL")]
    active: Option<bool>,
    /// Only those that the shop puts forward (true), or only the others (false)
    #[arg(long, value_name = "BOOL")]
    featured: Option<bool>,
    #[command(flatten)]
    paging: Paging,
}

impl ProductCommand {
    pub(crate) async fn run(self, shop: &Shop, format: Format) -> Result<(), Failure> {
        match self {
            Self::List(List { search, category, active, featured, paging }) => {
                let Paging { page, limit } = paging;
                let filter = AdminProductFilter { page, limit, search, category, active, featured };
                let found = shop.products().list_for_admin(filter).await?;
                format.write(&found, || list(&found))?;
                tell_rest(found.pagination, format);
                Ok(())
            }
            Self::Show { product } => {
                let product = shop.products().find(&product).await?;
                let product = product.ok_or(Error::NotFound(Entity::Product))?;
                format.write(&product, || show(&product))
            }
            Self::Import(file) => import::run(shop, file, format).await,
            Self::Export(wanted) => export::products(shop, wanted).await,
            Self::SetStock { item, units, reason } => {
                let now = shop.stock().count(&Actor::System, &item, units, reason).await?;
                format.write(&now, || Table {
                    head: ["PRODUCT", "VARIANT", "STOCK"],
                    rows: vec![[
                        now.product_id.to_string(),
                        now.variant_id.as_ref().map_or_else(String::new, ToString::to_string),
                        now.stock.to_string(),
                    ]],
                })
            }
        }
    }
}

fn list(found: &Page<AdminProduct>) -> Table<7> {
    let row = |product: &AdminProduct| {
        [
            product.id.to_string(),
            product.slug.to_string(),
            product.name.clone(),
            product.price.to_string(),
            product.stock.to_string(),
            product.sku.clone().unwrap_or_default(),
            if product.active { "on sale" } else { "off sale" }.to_owned(),
        ]
    };
    Table {
        head: ["ID", "SLUG", "NAME", "PRICE", "STOCK", "SKU", "STATE"],
        rows: found.data.iter().map(row).collect(),
    }
}

/// The product's own row, and one for each variant.
fn show(product: &Product) -> Table<6> {
    let own = [
        product.id.to_string(),
        product.name.clone(),
        product.price.to_string(),
        product.stock.to_string(),
        product.sku.clone().unwrap_or_default(),
        if product.active { "on sale" } else { "off sale" }.to_owned(),
    ];
    let variants = product.variants.iter().map(|variant| {
        let values: Vec<&str> = variant.values.iter().map(|value| value.value.as_str()).collect();
        [
            variant.id.to_string(),
            format!("{} ({})", product.name, values.join(", ")),
            variant.price.to_string(),
            variant.stock.to_string(),
            variant.sku.clone().unwrap_or_default(),
            String::new(),
        ]
    });
    Table {
        head: ["ID", "NAME", "PRICE", "STOCK", "SKU", "STATE"],
        rows: std::iter::once(own).chain(variants).collect(),
    }
}

fn parse_units(text: &str) -> Result<StockLevel, &'static str> {
    let units: i64 = text.parse().map_err(|_| "it must be a whole number from 0")?;
    units.try_into().map_err(|_| "it must be a whole number from 0 to 1000000000")
}
