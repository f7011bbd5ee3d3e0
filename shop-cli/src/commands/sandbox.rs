use clap::Subcommand;
use shop_core::Shop;
use shop_core::order::Order;

use crate::failure::Failure;
use crate::output::{Format, Table};

/// Plays the payer where the built-in sandbox is the payment provider.
#[derive(Debug, Subcommand)]
pub(crate) enum Sandbox {
    /// Pays an order by what is open (PIX code, card under review, payment intent), as its customer
    /// would; by a PIX code where nothing is
    Pay {
        /// As people write it, e.g. PED-20261121-0001
        order_number: String,
    },
}

impl Sandbox {
    pub(crate) async fn run(self, shop: &Shop, format: Format) -> Result<(), Failure> {
        match self {
            Self::Pay { order_number } => {
                let order = shop.sandbox().pay(&order_number).await?;
                format.write(&order, || table(&order))
            }
        }
    }
}

fn table(order: &Order) -> Table<3> {
    Table {
        head: ["ORDER", "TOTAL", "STATUS"],
        rows: vec![[
            order.order_number.clone(),
            order.total.to_string(),
            order.status.as_str().to_owned(),
        ]],
    }
}
