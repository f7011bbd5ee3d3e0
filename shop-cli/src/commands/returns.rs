use clap::{Args, Subcommand};
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::invoicing::ReturnGoods;
use shop_core::money::Money;
use shop_core::order_return::{OrderReturn, ReturnStatus};
use shop_core::page::Page;
use shop_core::returning::{
    ApproveReturn, ArrivedUnits, ReceiveReturn, RefundReturn, RejectReturn,
};
use shop_core::value::{OptionalText, StockLevel, Text};
use shop_core::views::{ReturnDetail, ReturnFilter, ReturnRow};

use super::nfe;
use super::units::{Units, named};
use crate::arguments::{Paging, parse_money, tell_rest};
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::{Format, Table};

/// Goods that come back.
#[derive(Debug, Subcommand)]
pub(crate) enum ReturnCommand {
    /// Lists returns, latest first
    List(List),
    /// Shows a return; `--format json` shows all that staff know about it
    Show {
        /// As people write it, e.g. PED-20261121-0001-D1
        protocol: String,
    },
    /// Accepts a return; the customer is told
    Approve {
        /// As people write it
        protocol: String,
        /// Kept with the move, for staff
        #[arg(long)]
        note: Option<OptionalText<1000>>,
    },
    /// Says no to a return; the customer reads the reason
    Reject {
        /// As people write it
        protocol: String,
        /// Why
        #[arg(long)]
        reason: Text<1, 1000>,
    },
    /// Notes that the goods of a return arrived, all of them
    Receive(Receive),
    /// Issues the invoice of a return's goods; without items, of all that no invoice has
    Invoice(InvoiceArguments),
    /// Gives the money of a return back
    Refund(RefundArguments),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only those in this status, e.g. REQUESTED
    #[arg(long)]
    status: Option<ReturnStatus>,
    /// Only those of this order, by its number
    #[arg(long, value_name = "NUMBER")]
    order: Option<OptionalText<64>>,
    /// The beginning of a protocol or of an e-mail, or words of the customer's name
    #[arg(long, value_name = "WORDS")]
    search: Option<OptionalText<120>>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub(crate) struct Receive {
    /// As people write it
    protocol: String,
    /// Puts all units that arrived on the shelf
    #[arg(long)]
    restock: bool,
    /// Kept with the move, for staff
    #[arg(long)]
    note: Option<OptionalText<1000>>,
}

#[derive(Debug, Args)]
pub(crate) struct InvoiceArguments {
    /// As people write it
    protocol: String,
    /// Units of a line of the order: its place from 1 and how many, e.g. 2=1
    #[arg(long = "item", value_name = "LINE=UNITS")]
    items: Vec<Units>,
    /// Why, in the shop's words, for the invoice
    #[arg(long)]
    reason: Option<Text<1, 500>>,
}

#[derive(Debug, Args)]
pub(crate) struct RefundArguments {
    /// As people write it
    protocol: String,
    /// How much, e.g. 12.90; what the return comes to where it is left out, 0 closes it without
    /// money
    #[arg(long, value_parser = parse_money)]
    amount: Option<Money>,
    /// Why, for the shop's own memory
    #[arg(long)]
    note: Option<OptionalText<500>>,
}

impl ReturnCommand {
    pub(crate) async fn run(self, shop: &Shop, invocation: &Invocation) -> Result<(), Failure> {
        let (returns, format, by) = (shop.returns(), invocation.format, Actor::System);
        let of = match self {
            Self::List(list) => return list.run(shop, format).await,
            Self::Show { protocol } => returns.get_by_protocol(&protocol).await?,
            Self::Approve { protocol, note } => {
                let id = returns.get_by_protocol(&protocol).await?.id;
                returns.approve(&by, &id, ApproveReturn { note }, None, None).await?
            }
            Self::Reject { protocol, reason } => {
                let id = returns.get_by_protocol(&protocol).await?.id;
                returns.reject(&by, &id, RejectReturn { reason }, None, None).await?
            }
            Self::Receive(Receive { protocol, restock, note }) => {
                let of = returns.get_by_protocol(&protocol).await?;
                let items = restock.then(|| shelved(&of)).transpose()?;
                let input = ReceiveReturn { items, note };
                returns.receive(&by, &of.id, input, None, None).await?
            }
            Self::Invoice(invoice) => return invoice.run(shop, format).await,
            Self::Refund(RefundArguments { protocol, amount, note }) => {
                let of = returns.get_by_protocol(&protocol).await?;
                let what = amount.unwrap_or(of.amount + of.freight);
                invocation
                    .confirm(&format!("R$ {what} of {protocol} goes back to the customer"))?;
                returns.refund(&by, &of.id, RefundReturn { amount, note }, None, None).await?
            }
        };
        let detail = returns.get_detail(&of.id).await?;
        format.write(&detail, || show(&detail))
    }
}

impl List {
    async fn run(self, shop: &Shop, format: Format) -> Result<(), Failure> {
        let Self { status, order, search: q, paging: Paging { page, limit } } = self;
        let filter = ReturnFilter { page, limit, status, order, q, ..ReturnFilter::default() };
        let found = shop.returns().list(filter).await?;
        format.write(&found, || list(&found))?;
        tell_rest(found.pagination, format);
        Ok(())
    }
}

impl InvoiceArguments {
    async fn run(self, shop: &Shop, format: Format) -> Result<(), Failure> {
        let Self { protocol, items, reason } = self;
        let of = shop.returns().get_by_protocol(&protocol).await?;
        let order = shop.orders().get_by_number(&of.order_number).await?;
        let items = named(&order, &items)?;
        let return_id = Some(of.id);
        let goods = ReturnGoods { return_id, items, reason, ..ReturnGoods::default() };
        let back = shop.invoices().issue_return(&Actor::System, &order.id, goods, None).await?;
        format.write(&back, || nfe::table(&back.invoice))
    }
}

/// All units of a return, arrived and back on the shelf.
fn shelved(of: &OrderReturn) -> Result<Vec<ArrivedUnits>, Failure> {
    let units = of.items.iter().map(|item| {
        let quantity: StockLevel = item.quantity.try_into().map_err(shop_core::Error::from)?;
        let order_item_id = item.order_item_id.clone();
        Ok(ArrivedUnits { order_item_id, quantity, restock: Some(quantity) })
    });
    units.collect()
}

fn list(found: &Page<ReturnRow>) -> Table<6> {
    let row = |ReturnRow { returned, user, .. }: &ReturnRow| {
        [
            returned.protocol.clone(),
            returned.created_at.to_string(),
            user.name.clone(),
            returned.kind.as_str().to_owned(),
            returned.status.as_str().to_owned(),
            (returned.amount + returned.freight).to_string(),
        ]
    };
    Table {
        head: ["RETURN", "ASKED", "CUSTOMER", "KIND", "STATUS", "AMOUNT"],
        rows: found.data.iter().map(row).collect(),
    }
}

/// A line for each thing that there is to say.
fn show(detail: &ReturnDetail) -> Table<2> {
    let ReturnDetail { returned, user, .. } = detail;
    let row = |name: &str, value: String| [name.to_owned(), value];
    let mut rows = vec![
        row("return", returned.protocol.clone()),
        row("order", returned.order_number.clone()),
        row("asked", returned.created_at.to_string()),
        row("kind", returned.kind.as_str().to_owned()),
        row("status", returned.status.as_str().to_owned()),
        row("customer", format!("{} <{}>", user.name, user.email)),
    ];
    rows.extend(returned.items.iter().map(|item| {
        let variant = item.variant.as_ref();
        let variant = variant.map_or_else(String::new, |variant| format!(" ({variant})"));
        let arrived = item.received.map_or_else(String::new, |came| format!(", {came} arrived"));
        let name = &item.product_name;
        row("item", format!("{} x {name}{variant}: {}{arrived}", item.quantity, item.amount))
    }));
    rows.push(row("freight", returned.freight.to_string()));
    rows.extend(returned.reason.iter().map(|text| row("reason", text.clone())));
    rows.extend(returned.rejection_reason.iter().map(|text| row("rejected", text.clone())));
    rows.extend(returned.tracking_code.iter().map(|code| row("tracking", code.clone())));
    let amount = returned.refund.amount.map_or_else(String::new, |amount| format!(" {amount}"));
    rows.extend(returned.invoices.iter().map(|it| {
        let key = it.key.as_deref().unwrap_or_default();
        row("invoice", format!("{} {} {key}", it.number, it.status))
    }));
    rows.push(row("refund", format!("{}{amount}", returned.refund.status.as_str())));
    Table { head: ["FIELD", "VALUE"], rows }
}
