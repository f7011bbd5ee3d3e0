//! What waits for staff: how much of each kind, and the first few of it.
//!
//! Each kind is found by an index, or is as small as the list of webhooks or of products, so the
//! answer costs the same however many orders there are.

use super::parcel_trouble::{self, ParcelInTrouble};
use super::returns::waits;
use super::{Dashboard, WaitingReturn};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::{InvoiceId, MailId, OrderId, PaymentId, ProductId, ReviewId, WebhookId};
use crate::money::Money;
use crate::page::PageLimit;
use crate::shipment::ShipmentStatus;
use crate::stock;
use crate::storage::{FromColumn, Param, Tx, params, read_columns};
use crate::value::Words;

/// How much of each kind is counted at most.
const COUNTED: i64 = 1000;
/// How many of each kind are shown where the request does not say.
const SHOWN: u32 = 5;

/// How much of what waits is shown (`GET /api/admin/dashboard/tasks`).
#[apply(filter!)]
#[derive(Copy)]
pub struct TaskFilter {
    /// How many of each kind are shown: 5 where it is left out, at most 100.
    #[cfg_attr(feature = "schema", schemars(extend("default" = 5)))]
    pub limit: Option<PageLimit>,
}

/// One kind of what waits.
#[apply(answer!)]
#[cfg_attr(feature = "schema", schemars(rename = "Waiting{T}"))]
pub struct Waiting<T> {
    /// How many there are; no more than 1000 are counted.
    pub count: i64,
    /// The first of them, as many as were asked for.
    pub first: Vec<T>,
}

/// What waits for staff (`GET /api/admin/dashboard/tasks`).
#[apply(answer!)]
pub struct Tasks {
    /// Paid orders that are being prepared, the oldest first; of the 1000 oldest that are being
    /// prepared. Not those of which every unit is part of a return.
    pub orders_to_send: Waiting<OrderToSend>,
    /// Parcels of open orders that a person must look after, the oldest first.
    pub parcels_in_trouble: Waiting<ParcelInTrouble>,
    /// Reviews to approve or reject, the oldest first.
    pub reviews_to_moderate: Waiting<ReviewToModerate>,
    /// Returns that wait for staff, the oldest first: to be decided, with instructions to be sent,
    /// or with money to be given back. Not those that are on their way.
    pub returns: Waiting<WaitingReturn>,
    /// Items at `stock.low_threshold` or below of products on sale, the fewest units first.
    pub low_stock: Waiting<LowStock>,
    /// Receivers of webhooks whose latest deliveries failed, the longest failing first.
    pub failing_webhooks: Waiting<FailingWebhook>,
    /// Payments whose money does not fit their order, the oldest first.
    pub payments_in_review: Waiting<PaymentInReview>,
    /// Invoices that the tax office refused, of orders without an authorised one, the oldest first.
    pub refused_invoices: Waiting<RefusedInvoice>,
    /// Orders whose invoice could not be issued without being asked for (`nfe.issue`), and was not
    /// refused by the tax office either, the longest waiting first.
    pub invoices_not_issued: Waiting<InvoiceNotIssued>,
    /// Mails whose tries failed, the oldest first; those that were given up too, for 90 days.
    pub failing_mails: Waiting<FailingMail>,
}

/// A paid order that is being prepared.
#[apply(answer!)]
pub struct OrderToSend {
    /// Which one.
    pub id: OrderId,
    /// The number that people use.
    pub order_number: String,
    /// What it comes to.
    pub total: Money,
    /// When it was placed.
    pub created_at: Timestamp,
}

/// A review that is not shown yet.
#[apply(answer!)]
pub struct ReviewToModerate {
    /// Which one.
    pub id: ReviewId,
    /// Of which product.
    pub product_name: String,
    /// From 1 to 5.
    pub rating: i64,
    /// When it was written.
    pub created_at: Timestamp,
}

/// An item of which few units are left.
#[apply(answer!)]
pub struct LowStock {
    /// The product.
    pub product_id: ProductId,
    /// What it is called.
    pub name: String,
    /// The product's id, or the one of its variant that this is.
    pub item_id: String,
    /// Units that are left.
    pub stock: i64,
}

/// A receiver of webhooks that does not take them.
#[apply(answer!)]
pub struct FailingWebhook {
    /// Which one.
    pub id: WebhookId,
    /// Where it is.
    pub url: String,
    /// False where it is switched off.
    pub active: bool,
    /// The first failure since the last success.
    pub failing_since: Timestamp,
}

/// A payment whose money does not fit its order.
#[apply(answer!)]
pub struct PaymentInReview {
    /// Which one.
    pub id: PaymentId,
    /// Of which order.
    pub order_id: OrderId,
    /// The order's number.
    pub order_number: String,
    /// What it comes to.
    pub amount: Money,
    /// When it was begun.
    pub created_at: Timestamp,
}

/// An invoice that the tax office refused.
#[apply(answer!)]
pub struct RefusedInvoice {
    /// Which one.
    pub id: InvoiceId,
    /// Of which order.
    pub order_id: OrderId,
    /// The order's number.
    pub order_number: String,
    /// The office's words.
    pub answer: Option<String>,
    /// When it was issued.
    pub issued_at: Timestamp,
}

/// An order whose invoice could not be issued.
#[apply(answer!)]
pub struct InvoiceNotIssued {
    /// Of which order.
    pub order_id: OrderId,
    /// The order's number.
    pub order_number: String,
    /// What stands in the way.
    pub problem: String,
    /// Since when the invoice is wanted.
    pub wanted_at: Timestamp,
}

/// A mail that does not leave.
#[apply(answer!)]
pub struct FailingMail {
    /// Which one.
    pub id: MailId,
    /// What it tells, e.g. `order-placed`.
    pub kind: String,
    /// To which address.
    pub recipient: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it is tried again; `null` where it was given up.
    pub next_try_at: Option<Timestamp>,
    /// What went wrong, in a few words.
    pub error: String,
}

impl Dashboard<'_> {
    /// What waits for staff.
    ///
    /// Cancel safe: reads only.
    pub async fn get_tasks(&self, filter: TaskFilter) -> Result<Tasks> {
        let low = self.cx.config().stock.low_threshold;
        let shown = filter.limit.map_or(SHOWN, PageLimit::get);
        let now = self.cx.now();
        self.cx.db().read("dashboard.tasks", move |tx| tasks(tx, now, low, shown)).await
    }
}

fn tasks(tx: &mut dyn Tx, now: Timestamp, low: i64, limit: u32) -> Result<Tasks> {
    let rows = LOW_STOCK.rows.replace("{few}", &stock::at_most("$1", low));
    let low_stock_kind = Kind { rows: &rows, ..LOW_STOCK };
    let [unposted, late] = parcel_trouble::before(now);
    let moving = ShipmentStatus::listed(ShipmentStatus::is_moving);
    let rows = PARCELS_IN_TROUBLE.rows.replace("{moving}", &moving);
    let in_trouble = Kind { rows: &rows, ..PARCELS_IN_TROUBLE };
    Ok(Tasks {
        orders_to_send: ORDERS_TO_SEND.read(tx, limit, &[])?,
        parcels_in_trouble: in_trouble.read(tx, limit, params![unposted, late])?,
        reviews_to_moderate: REVIEWS_TO_MODERATE.read(tx, limit, &[])?,
        returns: RETURNS.read(tx, limit, &[])?,
        low_stock: low_stock_kind.read(tx, limit, params![low])?,
        failing_webhooks: FAILING_WEBHOOKS.read(tx, limit, &[])?,
        payments_in_review: PAYMENTS_IN_REVIEW.read(tx, limit, &[])?,
        refused_invoices: REFUSED_INVOICES.read(tx, limit, &[])?,
        invoices_not_issued: INVOICES_NOT_ISSUED.read(tx, limit, &[])?,
        failing_mails: FAILING_MAILS.read(tx, limit, &[])?,
    })
}

/// How one kind is found. The few that are shown are found before anything is joined to them.
#[derive(Clone, Copy)]
struct Kind<'a> {
    /// The rows that wait, bounded: what they are found by, without their order.
    rows: &'a str,
    /// Their order, by their columns.
    order: &'static str,
    /// What is shown, and what is joined to the few, named `w`.
    shown: &'static str,
}

const ORDERS_TO_SEND: Kind<'static> = Kind {
    rows: "SELECT id, number, total, created_at FROM (
             SELECT id, number, total, created_at FROM orders WHERE status = 'PROCESSING'
             ORDER BY created_at LIMIT 1000) preparing
           WHERE (preparing.total = 0 OR EXISTS (
             SELECT 1 FROM payment p WHERE p.order_id = preparing.id AND p.status = 'PAID'))
             AND EXISTS (SELECT 1 FROM order_item i
               WHERE i.order_id = preparing.id AND i.quantity > i.returned)",
    order: "created_at, id",
    shown: "SELECT w.id, w.number, w.total, w.created_at FROM",
};

const PARCELS_IN_TROUBLE: Kind<'static> = Kind {
    rows: parcel_trouble::ROWS,
    order: "created_at, id",
    shown: "SELECT w.id, w.order_id, w.order_number, w.parcel, w.trouble, w.problem, w.created_at
            FROM",
};

const REVIEWS_TO_MODERATE: Kind<'static> = Kind {
    rows: "SELECT id, product_id, rating, created_at FROM review WHERE status = 'pending'",
    order: "created_at, id",
    shown: "SELECT w.id, (SELECT p.name FROM product p WHERE p.id = w.product_id), w.rating,
              w.created_at FROM",
};

const RETURNS: Kind<'static> = Kind {
    rows: concat!(
        "SELECT id, protocol, order_id, order_number, kind, status, created_at FROM order_return
         WHERE ",
        waits!()
    ),
    order: "created_at, id",
    shown: "SELECT w.id, w.protocol, w.order_id, w.order_number, w.kind, w.status, w.created_at
            FROM",
};

/// `{few}` is [`stock::at_most`].
const LOW_STOCK: Kind<'static> = Kind {
    rows: "SELECT s.item_id, s.product_pk, s.quantity FROM stock s
           WHERE {few} AND EXISTS (
             SELECT 1 FROM product p WHERE p.pk = s.product_pk AND p.active = 1)",
    order: "quantity, item_id",
    shown: "SELECT (SELECT p.id FROM product p WHERE p.pk = w.product_pk),
              (SELECT p.name FROM product p WHERE p.pk = w.product_pk), w.item_id, w.quantity FROM",
};

const FAILING_WEBHOOKS: Kind<'static> = Kind {
    rows: "SELECT id, url, active, failing_since FROM webhook WHERE failing_since IS NOT NULL",
    order: "failing_since, id",
    shown: "SELECT w.id, w.url, w.active, w.failing_since FROM",
};

const PAYMENTS_IN_REVIEW: Kind<'static> = Kind {
    rows: "SELECT id, order_id, amount, created_at FROM payment WHERE status = 'REVIEW'",
    order: "created_at, id",
    shown: "SELECT w.id, w.order_id, (SELECT o.number FROM orders o WHERE o.id = w.order_id),
              w.amount, w.created_at FROM",
};

const REFUSED_INVOICES: Kind<'static> = Kind {
    rows: "SELECT n.id, n.order_id, n.answer, n.issued_at FROM nfe n
           WHERE n.book IN ('SANDBOX', 'HOMOLOGATION', 'PRODUCTION')
             AND n.status IN ('REJECTED', 'DENIED')
             AND (n.kind = 'RETURN' OR NOT EXISTS (SELECT 1 FROM nfe good
               WHERE good.order_id = n.order_id AND good.kind = 'SALE'
                 AND good.status = 'AUTHORIZED'))",
    order: "issued_at, id",
    shown: "SELECT w.id, w.order_id, (SELECT o.number FROM orders o WHERE o.id = w.order_id),
              w.answer, w.issued_at FROM",
};

const INVOICES_NOT_ISSUED: Kind<'static> = Kind {
    rows: "SELECT due.order_id, due.problem, due.wanted_at FROM nfe_to_issue due
           WHERE due.problem IS NOT NULL AND NOT EXISTS (SELECT 1 FROM nfe n
             WHERE n.order_id = due.order_id AND n.status IN ('REJECTED', 'DENIED', 'AUTHORIZED'))",
    order: "wanted_at, order_id",
    shown: "SELECT w.order_id, (SELECT o.number FROM orders o WHERE o.id = w.order_id), w.problem,
              w.wanted_at FROM",
};

const FAILING_MAILS: Kind<'static> = Kind {
    rows: "SELECT id, kind, recipient, created_at, next_try_at, last_error FROM mail
           WHERE sent_at IS NULL AND last_error IS NOT NULL",
    order: "created_at, id",
    shown: "SELECT w.id, w.kind, w.recipient, w.created_at, w.next_try_at, w.last_error FROM",
};

impl Kind<'_> {
    fn read<T: FromColumn>(
        &self,
        tx: &mut dyn Tx,
        limit: u32,
        params: &[Param<'_>],
    ) -> Result<Waiting<T>> {
        let Self { rows, order, shown } = self;
        let counted = format!("SELECT count(*) FROM ({rows} LIMIT {COUNTED}) counted");
        let first = format!("{shown} ({rows} ORDER BY {order} LIMIT {limit}) w ORDER BY {order}");
        Ok(Waiting { count: tx.value(&counted, params)?, first: tx.list(&first, params)? })
    }
}

read_columns!(OrderToSend: id, order_number, total, created_at);
read_columns!(ReviewToModerate: id, product_name, rating, created_at);
read_columns!(LowStock: product_id, name, item_id, stock);
read_columns!(WaitingReturn: id, protocol, order_id, order_number, kind, status, created_at);
read_columns!(FailingWebhook: id, url, active, failing_since);
read_columns!(PaymentInReview: id, order_id, order_number, amount, created_at);
read_columns!(RefusedInvoice: id, order_id, order_number, answer, issued_at);
read_columns!(InvoiceNotIssued: order_id, order_number, problem, wanted_at);
read_columns!(FailingMail: id, kind, recipient, created_at, next_try_at, error);
