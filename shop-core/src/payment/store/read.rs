//! The reads of `payment`.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::error::{Entity, Error, Result};
use crate::id::{OrderId, PaymentId};
use crate::money::Money;
use crate::payment::provider::ProviderPayment;
use crate::payment::{PaymentAttempt, PaymentMethod, PaymentStatus, Provider};
use crate::storage::{Filter, Tx, params, read_columns};

/// How soon the provider is asked about an attempt that it has not answered.
pub(super) const FIRST_CHECK: Duration = Duration::from_secs(3 * 60);
/// How rarely it is asked about an old one.
const RAREST_CHECK: Duration = Duration::from_secs(6 * 60 * 60);

/// One attempt to pay an order.
#[derive(Debug, Clone)]
pub(crate) struct Payment {
    pub(crate) id: PaymentId,
    pub(crate) order_id: OrderId,
    /// By name: one that this version does not know must not hide the other rows.
    pub(crate) provider_name: String,
    pub(crate) method: PaymentMethod,
    pub(crate) status: PaymentStatus,
    pub(crate) amount: Money,
    pub(crate) captured: Money,
    pub(crate) refunded: Money,
    /// What the payer's bank took back, in disputes that the shop has not won.
    pub(crate) charged_back: Money,
    pub(crate) provider_payment_id: Option<String>,
    pub(crate) pix_code: Option<String>,
    pub(crate) pix_picture: Option<String>,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) installments: Option<i64>,
    pub(crate) last_four: Option<String>,
    pub(crate) failure_code: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

impl Payment {
    /// The provider that moves its money.
    ///
    /// # Errors
    /// [`Error::Internal`] when this version knows no provider of the stored name.
    pub(crate) fn provider(&self) -> Result<Provider> {
        self.provider_name.parse().map_err(Error::from_source)
    }

    /// Whether it can still be completed: it waits, or it is an intent whose card was declined, for
    /// which another may be given.
    pub(crate) fn is_open(&self) -> bool {
        match self.status {
            PaymentStatus::Pending => true,
            PaymentStatus::Failed => {
                self.method == PaymentMethod::PaymentIntent && self.provider_payment_id.is_some()
            }
            _ => false,
        }
    }
}

/// Attempts that can still be completed, like [`Payment::is_open`]. The index `payment_check` is of
/// these very words.
macro_rules! is_open {
    () => {
        "(status = 'PENDING'
          OR (status = 'FAILED' AND method = 'PAYMENT_INTENT' AND provider_payment_id IS NOT NULL))"
    };
}
pub(super) use is_open;

/// Payments `p` that hold their order open: money that is there, of whatever amount, and attempts
/// of which the payer did all that there is to do, and nobody knows yet what becomes: a card, and
/// an intent that its provider is working on.
macro_rules! holds_order {
    () => {
        "(p.status IN ('PAID', 'REVIEW')
          OR (p.status = 'PENDING' AND p.method = 'CREDIT_CARD')
          OR (p.in_process = 1 AND p.status IN ('PENDING', 'FAILED')))"
    };
}
pub(crate) use holds_order;

/// The columns of a payment.
macro_rules! select_payment {
    ($($tail:tt)+) => {
        concat!(
            "SELECT id, order_id, provider, method, status, amount, captured, refunded,
                    provider_payment_id, pix_code, pix_picture, expires_at, installments,
                    last_four, failure_code, created_at, updated_at, charged_back
             FROM payment ",
            $($tail)+
        )
    };
}

read_columns!(
    Payment: id, order_id, provider_name, method, status, amount, captured, refunded,
    provider_payment_id, pix_code, pix_picture, expires_at, installments, last_four, failure_code,
    created_at, updated_at, charged_back
);

impl From<Payment> for PaymentAttempt {
    fn from(payment: Payment) -> Self {
        Self {
            id: payment.id,
            method: payment.method,
            status: payment.status,
            amount: payment.amount,
            captured: payment.captured,
            refunded: payment.refunded,
            charged_back: payment.charged_back,
            provider_payment_id: payment.provider_payment_id,
            installments: payment.installments,
            last_four_digits: payment.last_four,
            failure_code: payment.failure_code,
            created_at: payment.created_at,
            updated_at: payment.updated_at,
        }
    }
}

/// An attempt by its id.
pub(crate) fn get(tx: &mut dyn Tx, id: &PaymentId) -> Result<Option<Payment>> {
    tx.find(select_payment!("WHERE id = $1"), params![id])
}

/// An attempt that must be there.
pub(crate) fn must_get(tx: &mut dyn Tx, id: &PaymentId) -> Result<Payment> {
    get(tx, id)?.ok_or(Error::NotFound(Entity::Payment))
}

/// The attempt that has this payment of a provider.
pub(crate) fn by_provider_id(
    tx: &mut dyn Tx,
    provider: Provider,
    id: &str,
) -> Result<Option<Payment>> {
    tx.find(
        select_payment!("WHERE provider = $1 AND provider_payment_id = $2"),
        params![provider, id],
    )
}

/// The attempt of an order whose answer got lost, found by provider, method and amount: for reports
/// that do not say which attempt they are about.
pub(crate) fn unanswered(
    tx: &mut dyn Tx,
    provider: Provider,
    order: &OrderId,
    report: &ProviderPayment,
) -> Result<Option<Payment>> {
    tx.find(
        select_payment!(
            "WHERE order_id = $1 AND provider = $2 AND method = $3 AND amount = $4
             AND provider_payment_id IS NULL ORDER BY created_at DESC, id DESC LIMIT 1"
        ),
        params![order, provider, report.method, report.amount],
    )
}

/// The attempts of an order about which its provider may have news: those that wait, codes that ran
/// out, intents that may be tried again, and money that arrived, which may have gone back.
pub(crate) fn with_news(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<Payment>> {
    tx.list(
        select_payment!(
            "WHERE order_id = $1 AND (status IN ('PENDING', 'EXPIRED')
               OR (status = 'FAILED' AND method = 'PAYMENT_INTENT')
               OR (captured > 0 AND provider <> 'staff'))
             ORDER BY created_at, id"
        ),
        params![order],
    )
}

/// Attempts that the provider is to be asked about by then, for counting.
pub(crate) const DUE: &str =
    concat!("SELECT 1 FROM payment WHERE ", is_open!(), " AND check_at <= $1");

/// Attempts that the provider must be asked about now.
pub(crate) fn to_check(tx: &mut dyn Tx, now: Timestamp, limit: i64) -> Result<Vec<Payment>> {
    tx.list(
        select_payment!("WHERE ", is_open!(), " AND check_at <= $1 ORDER BY check_at LIMIT $2"),
        params![now, limit],
    )
}

/// The attempt of an order by this method that waits.
pub(crate) fn open(
    tx: &mut dyn Tx,
    order: &OrderId,
    method: PaymentMethod,
) -> Result<Option<Payment>> {
    tx.find(
        select_payment!("WHERE order_id = $1 AND method = $2 AND status = 'PENDING'"),
        params![order, method],
    )
}

/// Whether an order has money, or an attempt that is in process.
pub(crate) fn is_held_open(tx: &mut dyn Tx, order: &OrderId) -> Result<bool> {
    let sql = concat!("SELECT 1 FROM payment p WHERE p.order_id = $1 AND ", holds_order!());
    tx.exists(sql, params![order])
}

/// The latest payment intent of an order that its customer may still complete.
pub(crate) fn usable_intent(tx: &mut dyn Tx, order: &OrderId) -> Result<Option<Payment>> {
    tx.find(
        select_payment!(
            "WHERE order_id = $1 AND method = 'PAYMENT_INTENT' AND ",
            is_open!(),
            " ORDER BY created_at DESC, id DESC LIMIT 1"
        ),
        params![order],
    )
}

/// The latest attempt with the very same card request.
pub(crate) fn same_request(tx: &mut dyn Tx, order: &OrderId, mac: &str) -> Result<Option<Payment>> {
    tx.find(
        select_payment!(
            "WHERE order_id = $1 AND request_mac = $2
             ORDER BY created_at DESC, id DESC LIMIT 1"
        ),
        params![order, mac],
    )
}

/// Every attempt to pay an order, oldest first.
pub(crate) fn of_order(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<PaymentAttempt>> {
    let sql = select_payment!("WHERE order_id = $1 ORDER BY created_at, id");
    let payments: Vec<Payment> = tx.list(sql, params![order])?;
    Ok(payments.into_iter().map(PaymentAttempt::from).collect())
}

/// Every attempt to pay one of these orders, the oldest of each order first.
pub(crate) fn of_orders(tx: &mut dyn Tx, orders: &[OrderId]) -> Result<Vec<Payment>> {
    each_piece(orders, |condition, filter| {
        let sql = format!("{}WHERE {condition} ORDER BY created_at, id", select_payment!(""));
        tx.list(&sql, filter.params())
    })
}

/// Method and status of every attempt to pay one of these orders, the oldest of each order first.
pub(crate) fn states_of_orders(
    tx: &mut dyn Tx,
    orders: &[OrderId],
) -> Result<Vec<(OrderId, PaymentMethod, PaymentStatus)>> {
    each_piece(orders, |condition, filter| {
        let sql = format!(
            "SELECT order_id, method, status FROM payment WHERE {condition} ORDER BY created_at, id"
        );
        tx.list(&sql, filter.params())
    })
}

/// Reads by the ids of orders, a statement for each 500 of them: engines limit the parameters of
/// one.
fn each_piece<T>(
    orders: &[OrderId],
    mut find: impl FnMut(&str, &Filter<'_>) -> Result<Vec<T>>,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    for piece in orders.chunks(500) {
        let mut filter = Filter::default();
        let condition = format!("order_id IN ({})", filter.bind_all(piece));
        found.extend(find(&condition, &filter)?);
    }
    Ok(found)
}

/// The payments of an order that money can be given back of, and how much of each: the one that
/// paid the order before money that is under review.
pub(crate) fn refundable(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<(PaymentId, Money)>> {
    tx.list(
        "SELECT id, captured - charged_back - refund_reserved FROM payment
         WHERE order_id = $1 AND status IN ('PAID', 'REVIEW')
           AND captured - charged_back > refund_reserved
         ORDER BY status, created_at, id",
        params![order],
    )
}

/// Whether another payment of the order has paid it already.
pub(crate) fn is_paid_otherwise(
    tx: &mut dyn Tx,
    order: &OrderId,
    payment: &PaymentId,
) -> Result<bool> {
    tx.exists(
        "SELECT 1 FROM payment WHERE order_id = $1 AND id <> $2 AND status = 'PAID' LIMIT 1",
        params![order, payment],
    )
}

/// When to ask about something that was begun then and is open now.
pub(crate) fn next_check(begun: Timestamp, now: Timestamp) -> Timestamp {
    let half = u64::try_from((now.millis() - begun.millis()) / 2).unwrap_or_default();
    now.plus(Duration::from_millis(half).clamp(FIRST_CHECK, RAREST_CHECK))
}

/// The status that a payment had before it was charged back.
pub(crate) fn status_before_chargeback(
    tx: &mut dyn Tx,
    payment: &PaymentId,
) -> Result<Option<PaymentStatus>> {
    tx.find(
        "SELECT status_before_chargeback FROM payment
         WHERE id = $1 AND status_before_chargeback IS NOT NULL",
        params![payment],
    )
}
