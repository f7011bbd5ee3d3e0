use clap::{Args, Subcommand, ValueEnum};
use shop_core::actor::Actor;
use shop_core::error::Refusal;
use shop_core::id::{OrderId, PaymentId};
use shop_core::money::Money;
use shop_core::order::{OrderPatch, OrderStatus};
use shop_core::page::Page;
use shop_core::payment::{PaymentAttempt, PaymentMethod, Refund, RefundStatus};
use shop_core::settlement::{RecordPayment, RecordedMethod, RefundPayment};
use shop_core::value::{OptionalText, Since, Text, Until};
use shop_core::views::{OrderDetail, OrderFilter, OrderRow};
use shop_core::{Error, Shop};

use crate::arguments::{Paging, parse_money, parse_since, parse_status, parse_until, tell_rest};
use crate::failure::{Exit, Failure};
use crate::invocation::Invocation;
use crate::output::Table;

/// What was ordered.
#[derive(Debug, Subcommand)]
pub(crate) enum OrderCommand {
    /// Lists orders, latest first
    List(List),
    /// Shows an order; `--format json` shows all that staff know about it
    Show {
        /// As people write it, e.g. PED-20261121-0001
        order_number: String,
    },
    /// Moves an order to a status, from whatever status; the customer is told
    SetStatus(SetStatus),
    /// Records money that came for an order in cash, by transfer or otherwise: it is paid by it
    Pay(PayArguments),
    /// Gives back what an order's payment brought, or a part of it
    Refund(RefundArguments),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only those in this status, e.g. SHIPPED
    #[arg(long, value_parser = parse_status)]
    status: Option<OrderStatus>,
    /// The beginning of an order's number or of an e-mail, or words of the customer's name
    #[arg(long, value_name = "WORDS")]
    search: Option<OptionalText<120>>,
    /// Placed on this day (2026-11-21) or at this time (2026-11-21T10:00:00-03:00), or later
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    from: Option<Since>,
    /// Placed until the end of this day, or before this time
    #[arg(long, value_name = "TIME", value_parser = parse_until)]
    to: Option<Until>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub(crate) struct SetStatus {
    /// As people write it
    order_number: String,
    /// PENDING, PROCESSING, SHIPPED, DELIVERED, CANCELLED or REFUNDED
    #[arg(value_parser = parse_status)]
    status: OrderStatus,
    /// Kept with the move, for staff
    #[arg(long)]
    note: Option<OptionalText<1000>>,
    /// By which the carrier finds the parcel
    #[arg(long, value_name = "CODE")]
    tracking_code: Option<Text<1, 60>>,
    /// The carrier of the parcel
    #[arg(long, value_name = "NAME")]
    carrier: Option<Text<1, 60>>,
}

#[derive(Debug, Args)]
pub(crate) struct PayArguments {
    /// As people write it
    order_number: String,
    /// How the money came
    #[arg(long, value_enum)]
    method: Means,
    /// How much, e.g. 12.90; the order's total where it is left out. Another amount is kept for
    /// review
    #[arg(long, value_parser = parse_money)]
    amount: Option<Money>,
    /// Kept as an internal note
    #[arg(long)]
    note: Option<OptionalText<1000>>,
}

/// How money comes that no provider tells of.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Means {
    Cash,
    Transfer,
    Other,
}

#[derive(Debug, Args)]
pub(crate) struct RefundArguments {
    /// As people write it
    order_number: String,
    /// How much, e.g. 12.90; all that is left where it is left out
    #[arg(long, value_parser = parse_money)]
    amount: Option<Money>,
    /// Why, for the shop's own memory
    #[arg(long)]
    reason: Option<OptionalText<500>>,
    /// Which of the order's payments, by its id; the one that paid it where it is left out
    #[arg(long, value_name = "ID")]
    payment: Option<String>,
}

impl OrderCommand {
    pub(crate) async fn run(self, shop: &Shop, invocation: &Invocation) -> Result<(), Failure> {
        let (orders, format) = (shop.orders(), invocation.format);
        match self {
            Self::List(List { status, search, from, to, paging }) => {
                let Paging { page, limit } = paging;
                let filter = OrderFilter { page, limit, status, q: search, from, to };
                let found = orders.list(filter).await?;
                format.write(&found, || list(&found))?;
                tell_rest(found.pagination, format);
                Ok(())
            }
            Self::Show { order_number } => {
                let order = orders.get_by_number(&order_number).await?;
                let detail = orders.get_detail(&order.id).await?;
                format.write(&detail, || show(&detail))
            }
            Self::SetStatus(SetStatus { order_number, status, note, tracking_code, carrier }) => {
                let order = orders.get_by_number(&order_number).await?;
                let (tracking_code, carrier) = (tracking_code.map(Some), carrier.map(Some));
                let change = {
                    let status = Some(status);
                    OrderPatch { status, note, tracking_code, carrier, ..OrderPatch::default() }
                };
                let detail = orders.update(&Actor::System, &order.id, change, None).await?;
                format.write(&detail, || show(&detail))
            }
            Self::Pay(arguments) => pay(shop, invocation, arguments).await,
            Self::Refund(arguments) => refund(shop, invocation, arguments).await,
        }
    }
}

async fn pay(shop: &Shop, invocation: &Invocation, arguments: PayArguments) -> Result<(), Failure> {
    let PayArguments { order_number, method, amount, note } = arguments;
    let order = shop.orders().get_by_number(&order_number).await?;
    let method = match method {
        Means::Cash => RecordedMethod::Cash,
        Means::Transfer => RecordedMethod::Transfer,
        Means::Other => RecordedMethod::Other,
    };
    let input = RecordPayment { method, amount, note };
    let payment = shop.payments().record(&Actor::System, &order.id, input, None).await?;
    invocation.format.write(&payment, || payments(&payment))
}

async fn refund(
    shop: &Shop,
    invocation: &Invocation,
    arguments: RefundArguments,
) -> Result<(), Failure> {
    let RefundArguments { order_number, amount, reason, payment } = arguments;
    let order = shop.orders().get_by_number(&order_number).await?;
    let what = amount.map_or("all that is left".to_owned(), |amount| format!("R$ {amount}"));
    invocation.confirm(&format!("{what} of {order_number} goes back to the customer"))?;
    let input = RefundPayment { amount, reason, payment_id: payment.map(PaymentId::from) };
    let refund = match shop.payments().refund(&Actor::System, &order.id, input, None).await {
        Err(Error::Refused(Refusal::RefundDeclined)) => declined(shop, &order.id).await?,
        asked => asked?,
    };
    invocation.format.write(&refund, || refunds(&refund))?;
    is_answered(&refund)
}

/// The refund that the provider has just refused.
async fn declined(shop: &Shop, order: &OrderId) -> Result<Refund, Failure> {
    let all = shop.payments().list_refunds(order).await?.into_iter();
    let failed = all.filter(|refund| refund.status == RefundStatus::Failed);
    let last = failed.max_by_key(|refund| refund.updated_at);
    last.ok_or_else(|| Error::Refused(Refusal::RefundDeclined).into())
}

/// A provider that did not answer, or said no, is no success of the command.
fn is_answered(refund: &Refund) -> Result<(), Failure> {
    let text = match refund.status {
        RefundStatus::Pending if refund.provider_refund_id.is_none() => {
            "the provider did not answer: the refund stays open, and is asked for again in the \
             background with the same key; a further `order refund` would be another refund"
        }
        RefundStatus::Failed => "the provider refused the refund: no money goes back",
        RefundStatus::Pending | RefundStatus::Done => return Ok(()),
    };
    Err(Failure::of(Exit::Unavailable, text))
}

fn list(found: &Page<OrderRow>) -> Table<6> {
    let row = |OrderRow { order, user, .. }: &OrderRow| {
        [
            order.order_number.clone(),
            order.created_at.to_string(),
            user.name.clone(),
            order.total.to_string(),
            order.status.as_str().to_owned(),
            order.payment.status.as_str().to_owned(),
        ]
    };
    Table {
        head: ["ORDER", "PLACED", "CUSTOMER", "TOTAL", "STATUS", "PAYMENT"],
        rows: found.data.iter().map(row).collect(),
    }
}

/// A line for each thing that there is to say.
fn show(detail: &OrderDetail) -> Table<2> {
    let OrderDetail { order, user, refunds, .. } = detail;
    let address = &order.address;
    let mut rows = vec![
        ["order".to_owned(), order.order_number.clone()],
        ["placed".to_owned(), order.created_at.to_string()],
        ["status".to_owned(), order.status.as_str().to_owned()],
        ["customer".to_owned(), format!("{} <{}>", user.name, user.email)],
        [
            "address".to_owned(),
            format!("{}, {} - {}", address.street, address.number, address.city),
        ],
    ];
    rows.extend(order.items.iter().map(|item| {
        let variant = item.variant_snapshot.as_ref();
        let variant = variant.map_or_else(String::new, |variant| format!(" ({variant})"));
        let text = format!("{} x {}{variant}", item.quantity, item.product_name_snapshot);
        ["item".to_owned(), format!("{text}: {}", item.total)]
    }));
    rows.push(["discount".to_owned(), order.discount.to_string()]);
    rows.push(["shipping".to_owned(), order.shipping.to_string()]);
    rows.push(["total".to_owned(), order.total.to_string()]);
    let method = order.payment.method.map_or("", PaymentMethod::as_str);
    let payment = format!("{method} {}", order.payment.status.as_str());
    rows.push(["payment".to_owned(), payment.trim_start().to_owned()]);
    rows.extend(order.tracking_code.iter().map(|code| ["tracking".to_owned(), code.clone()]));
    rows.extend(refunds.iter().map(|refund| {
        ["refund".to_owned(), format!("{} {}", refund.amount, refund.status.as_str())]
    }));
    Table { head: ["FIELD", "VALUE"], rows }
}

fn payments(payment: &PaymentAttempt) -> Table<4> {
    Table {
        head: ["ID", "METHOD", "AMOUNT", "STATUS"],
        rows: vec![[
            payment.id.to_string(),
            payment.method.as_str().to_owned(),
            payment.captured.to_string(),
            payment.status.as_str().to_owned(),
        ]],
    }
}

fn refunds(refund: &Refund) -> Table<4> {
    Table {
        head: ["ID", "PAYMENT", "AMOUNT", "STATUS"],
        rows: vec![[
            refund.id.to_string(),
            refund.payment_id.to_string(),
            refund.amount.to_string(),
            refund.status.as_str().to_owned(),
        ]],
    }
}
