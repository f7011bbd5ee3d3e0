use clap::Subcommand;
use shop_core::Shop;
use shop_core::demo::{self, DemoReport, DemoSize, DemoStep};

use crate::failure::Failure;
use crate::output::{self, Format, Table};
use crate::progress::Progress;

/// A shop to look at.
#[derive(Debug, Subcommand)]
pub(crate) enum Demo {
    /// Fills a shop that has no products yet with candles, prices and accounts to log in with
    Seed {
        /// So many made-up products instead of the hand-written shop, for measurements
        #[arg(long, value_name = "N")]
        products: Option<u32>,
        /// So many made-up orders of two years too, each of one to three products
        #[arg(long, value_name = "N", requires = "customers")]
        orders: Option<u32>,
        /// So many made-up customers for the orders
        #[arg(long, value_name = "N", requires = "products")]
        customers: Option<u32>,
    },
}

impl Demo {
    pub(crate) async fn run(self, shop: &Shop, format: Format) -> Result<(), Failure> {
        let Self::Seed { products, orders, customers } = self;
        let size = match (products, customers) {
            (None, _) => DemoSize::Shop,
            (Some(products), None) => DemoSize::Products(products),
            (Some(products), Some(customers)) => {
                DemoSize::Trade { products, customers, orders: orders.unwrap_or(0) }
            }
        };
        let progress = Progress::new();
        let show = |step, done: u32, of: u32| progress.show(name(step), done.into(), of.into());
        let report = demo::seed_with(shop, size, &show).await?;
        drop(progress);
        if !report.filled {
            output::warn("the shop has products already and was left alone");
        }
        format.write(&report, || table(&report))
    }
}

fn name(step: DemoStep) -> &'static str {
    match step {
        DemoStep::Products => "products",
        DemoStep::Customers => "customers",
        DemoStep::Orders => "orders",
        DemoStep::Stock => "stock",
        _ => "rows",
    }
}

fn table(report: &DemoReport) -> Table<3> {
    let mut rows = vec![["products".to_owned(), report.products.to_string(), String::new()]];
    rows.extend(report.logins.iter().map(|login| {
        [login.role.to_lowercase(), login.email.to_owned(), login.password.to_owned()]
    }));
    Table { head: ["WHAT", "COUNT OR EMAIL", "PASSWORD"], rows }
}
