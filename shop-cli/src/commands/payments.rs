use clap::Subcommand;
use shop_core::Shop;
use shop_core::settlement::Reconciled;

use crate::failure::{Failure, all_answered};
use crate::output::{Format, Table};

/// What the payment providers know
#[derive(Debug, Subcommand)]
pub(crate) enum Payments {
    /// Asks the providers about payments and refunds that are open, and books what they say
    Reconcile {
        /// Only those of one order, however lately it was asked about, and its money that arrived,
        /// e.g. PED-20261121-0001
        #[arg(long, value_name = "NUMBER")]
        order: Option<String>,
    },
}

impl Payments {
    pub(crate) async fn run(self, shop: &Shop, format: Format) -> Result<(), Failure> {
        match self {
            Self::Reconcile { order: None } => {
                let done = shop.payments().reconcile_due().await?;
                format.write(&done, || table(done))?;
                all_answered(done.failed)
            }
            Self::Reconcile { order: Some(number) } => {
                let order = shop.orders().get_by_number(&number).await?;
                let done = shop.payments().reconcile(&order.id).await?;
                format.write(&done, || table(done))
            }
        }
    }
}

fn table(done: Reconciled) -> Table<4> {
    let Reconciled { asked, decided, refunds_decided, failed, .. } = done;
    Table {
        head: ["ASKED", "DECIDED", "REFUNDS DECIDED", "NOT ANSWERED"],
        rows: vec![[asked, decided, refunds_decided, failed].map(|n| n.to_string())],
    }
}
