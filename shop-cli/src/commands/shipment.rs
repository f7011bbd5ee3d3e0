use std::path::PathBuf;

use clap::{Args, Subcommand};
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::fulfilment::{
    BuyLabels, BuyManyLabels, LabelAccount, LabelsBought, RetryShipment, ShipmentFilter, Tracked,
    UnboughtOrder,
};
use shop_core::id::ShipmentId;
use shop_core::money::Money;
use shop_core::page::Page;
use shop_core::shipment::{Shipment, ShipmentStatus};
use shop_core::value::{Cpf, Text};

use super::shipment_connection::ConnectionCommand;
use crate::arguments::{Paging, parse_money, tell_rest};
use crate::destination::write_file;
use crate::failure::{Exit, Failure, all_answered};
use crate::invocation::Invocation;
use crate::output::{Format, Table, note};

/// Parcels and the labels that are bought for them.
#[derive(Debug, Subcommand)]
pub(crate) enum ShipmentCommand {
    /// Lists shipments, latest first
    List(List),
    /// Buys a label for each parcel of orders that has none; of all orders that wait, without a
    /// number
    Buy(Buy),
    /// Writes the labels of orders as one PDF
    Print(Print),
    /// Gives the label of a shipment back
    Cancel {
        /// Its id, as `shipment list` shows it
        id: ShipmentId,
    },
    /// Goes on at once with a label that waits, or accepts its price
    Retry {
        /// Its id, as `shipment list` shows it
        id: ShipmentId,
        /// What the labels of the order that wait in the cart may cost together, e.g. 32.50
        #[arg(long, value_parser = parse_money)]
        max_price: Option<Money>,
    },
    /// Asks the provider where a parcel is now; without an id, where all are that are due
    Track {
        /// Its id, as `shipment list` shows it
        id: Option<ShipmentId>,
    },
    /// Shows the account with the provider of labels, and what its balance holds
    Balance,
    #[command(flatten)]
    Connection(ConnectionCommand),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only those in this status, e.g. GENERATED
    #[arg(long)]
    status: Option<ShipmentStatus>,
    /// Those of this order, by its number
    #[arg(long, value_name = "NUMBER", conflicts_with = "status")]
    order: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub(crate) struct Buy {
    /// An order's number, as people write it; several for several orders
    #[arg(long = "order", value_name = "NUMBER")]
    orders: Vec<String>,
    /// The provider's number of the service; what the customer chose where it is left out
    #[arg(long)]
    service: Option<Text<1, 40>>,
    /// What the labels of each order may cost together, e.g. 32.50
    #[arg(long, value_parser = parse_money)]
    max_price: Option<Money>,
    /// The recipient's CPF, where the order has none; of one order alone
    #[arg(long, requires = "orders")]
    cpf: Option<Cpf>,
}

#[derive(Debug, Args)]
pub(crate) struct Print {
    /// An order's number, as people write it; several for several orders
    #[arg(long = "order", value_name = "NUMBER", required = true)]
    orders: Vec<String>,
    /// Where to; `-` is stdout
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

impl ShipmentCommand {
    pub(crate) async fn run(self, shop: &Shop, invocation: &Invocation) -> Result<(), Failure> {
        let (shipments, format, by) = (shop.shipments(), invocation.format, Actor::System);
        match self {
            Self::List(List { order: Some(number), .. }) => {
                let order = shop.orders().get_by_number(&number).await?;
                let found = shipments.list_for_order(&order.id).await?;
                format.write(&found, || table(&found))
            }
            Self::List(List { status, paging: Paging { page, limit }, .. }) => {
                let filter = ShipmentFilter { page, limit, status };
                let found: Page<Shipment> = shipments.list(filter).await?;
                format.write(&found, || table(&found.data))?;
                tell_rest(found.pagination, format);
                Ok(())
            }
            Self::Buy(buy) => buy.run(shop, invocation).await,
            Self::Connection(connection) => connection.run(shop, invocation).await,
            Self::Print(print) => print.run(shop).await,
            Self::Cancel { id } => {
                invocation.confirm(&format!("the label of shipment {id} is given back"))?;
                let one = vec![shipments.cancel(&by, &id).await?];
                format.write(&one[0], || table(&one))
            }
            Self::Retry { id, max_price } => {
                let one = vec![shipments.retry(&by, &id, RetryShipment { max_price }).await?];
                format.write(&one[0], || table(&one))
            }
            Self::Track { id: Some(id) } => {
                let one = vec![shipments.track(&id).await?];
                format.write(&one[0], || table(&one))
            }
            Self::Track { id: None } => {
                let done = shipments.track_due().await?;
                format.write(&done, || tracked(done))?;
                all_answered(done.failed)
            }
            Self::Balance => {
                let account = shipments.account().await?;
                format.write(&account, || balance(&account))
            }
        }
    }
}

impl Buy {
    async fn run(self, shop: &Shop, invocation: &Invocation) -> Result<(), Failure> {
        let Self { orders: numbers, service, max_price, cpf } = self;
        if cpf.is_some() && numbers.len() > 1 {
            return Err(Failure::of(Exit::Usage, "--cpf is of one order alone"));
        }
        let of =
            if numbers.is_empty() { "all orders that wait".to_owned() } else { numbers.join(", ") };
        invocation.confirm(&format!("labels for {of} are paid from the provider's balance"))?;
        let (shipments, format, by) = (shop.shipments(), invocation.format, Actor::System);
        if let [number] = &numbers[..] {
            let order = shop.orders().get_by_number(number).await?;
            let what = BuyLabels { parcels: None, service, max_price, recipient_cpf: cpf };
            let bought = shipments.buy(&by, &order.id, what, None).await?;
            return format.write(&bought, || table(&bought));
        }
        let mut ids = Vec::with_capacity(numbers.len());
        for number in &numbers {
            ids.push(shop.orders().get_by_number(number).await?.id);
        }
        let order_ids = (!ids.is_empty()).then_some(ids);
        let what = BuyManyLabels { order_ids, service, max_price };
        let bought: LabelsBought = shipments.buy_many(&by, what).await?;
        format.write(&bought, || table(&bought.shipments))?;
        all_bought(&bought.refused, format)
    }
}

/// A refusal among several orders ends the command as it does for an order alone; the first of them
/// says how.
fn all_bought(refused: &[UnboughtOrder], format: Format) -> Result<(), Failure> {
    let Some(first) = refused.first() else { return Ok(()) };
    // Scripts find them in the result.
    if format != Format::Json {
        for order in refused {
            note(&format!("{}: {}", order.order_number, Failure::from(order.error.clone())));
        }
    }
    let exit = Failure::from(first.error.clone()).exit();
    Err(Failure::of(
        exit,
        match refused.len() {
            1 => "1 order was refused".to_owned(),
            several => format!("{several} orders were refused"),
        },
    ))
}

impl Print {
    async fn run(self, shop: &Shop) -> Result<(), Failure> {
        let mut ids = Vec::with_capacity(self.orders.len());
        for number in &self.orders {
            ids.push(shop.orders().get_by_number(number).await?.id);
        }
        let pdf = shop.shipments().print_orders(&ids).await?;
        write_file(shop, &self.output, &pdf)
    }
}

fn table(shipments: &[Shipment]) -> Table<8> {
    let row = |it: &Shipment| {
        [
            it.id.to_string(),
            it.order_number.clone(),
            it.parcel.to_string(),
            it.status.to_string(),
            it.service_name.clone().unwrap_or_else(|| it.service.clone()),
            it.price.map(|price| price.to_string()).unwrap_or_default(),
            it.tracking_code.clone().unwrap_or_default(),
            it.problem.as_ref().map(|problem| problem.kind.to_string()).unwrap_or_default(),
        ]
    };
    Table {
        head: ["ID", "ORDER", "PARCEL", "STATUS", "SERVICE", "PRICE", "CODE", "PROBLEM"],
        rows: shipments.iter().map(row).collect(),
    }
}

fn tracked(done: Tracked) -> Table<3> {
    let counts = [done.asked, done.moved, done.failed].map(|count| count.to_string());
    Table { head: ["ASKED", "MOVED", "FAILED"], rows: vec![counts] }
}

fn balance(account: &LabelAccount) -> Table<4> {
    Table {
        head: ["PROVIDER", "CONNECTED", "BALANCE", "PROBLEM"],
        rows: vec![[
            account.provider.clone().unwrap_or_else(|| "none".to_owned()),
            account.connected.to_string(),
            account.balance.map(|balance| balance.to_string()).unwrap_or_default(),
            account.problem.as_ref().map(|problem| problem.kind.to_string()).unwrap_or_default(),
        ]],
    }
}
