use clap::Subcommand;
use shop_core::Shop;
use shop_core::demo::{self, DemoReport, DemoSize};

use crate::failure::Failure;
use crate::output::{Format, Table};

/// A shop to look at.
#[derive(Debug, Subcommand)]
pub(crate) enum Demo {
    /// Fills a shop that has no products yet with candles, prices and somebody who can log in
    Seed {
        /// So many made-up products instead of the hand-written shop, for measurements
        #[arg(long, value_name = "N")]
        products: Option<u32>,
    },
}

impl Demo {
    pub(crate) async fn run(self, shop: &Shop, format: Format) -> Result<(), Failure> {
        let Self::Seed { products } = self;
        let size = products.map_or(DemoSize::Shop, DemoSize::Products);
        let report = demo::seed(shop, size).await?;
        if !report.filled {
            eprintln!("the shop has products already and was left alone");
        }
        format.write(&report, || table(&report))
    }
}

fn table(report: &DemoReport) -> Table<3> {
    let mut rows = vec![["products".to_owned(), report.products.to_string(), String::new()]];
    rows.extend(report.logins.iter().map(|login| {
        [login.role.to_lowercase(), login.email.to_owned(), login.password.to_owned()]
    }));
    Table { head: ["WHAT", "COUNT OR EMAIL", "PASSWORD"], rows }
}
