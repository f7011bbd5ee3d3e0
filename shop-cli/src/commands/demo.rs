use clap::Subcommand;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use shop_core::Shop;
use shop_core::demo::{self, DemoReport, DemoSize, DemoStep};

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
        /// So many made-up orders of two years too, each of one to three products
        #[arg(long, value_name = "N", requires = "customers")]
        orders: Option<u32>,
        /// So many made-up customers, whose orders they are
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
        let bar = Bar::new();
        let report =
            demo::seed_with(shop, size, &|step, done, of| bar.show(step, done, of)).await?;
        bar.0.finish_and_clear();
        if !report.filled {
            eprintln!("the shop has products already and was left alone");
        }
        format.write(&report, || table(&report))
    }
}

/// How far it is, on a terminal; nothing elsewhere.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg:10} {wide_bar} {pos}/{len} {eta}");
        Self(style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style)))
    }

    fn show(&self, step: DemoStep, done: u32, of: u32) {
        self.0.set_message(match step {
            DemoStep::Products => "products",
            DemoStep::Customers => "customers",
            DemoStep::Orders => "orders",
            DemoStep::Stock => "stock",
        });
        self.0.set_length(of.into());
        self.0.set_position(done.into());
    }
}

fn table(report: &DemoReport) -> Table<3> {
    let mut rows = vec![["products".to_owned(), report.products.to_string(), String::new()]];
    rows.extend(report.logins.iter().map(|login| {
        [login.role.to_lowercase(), login.email.to_owned(), login.password.to_owned()]
    }));
    Table { head: ["WHAT", "COUNT OR EMAIL", "PASSWORD"], rows }
}
