//! Returns as staff look at them, and a customer's order with its returns.

use std::collections::BTreeMap;

use super::customer_search;
use super::order::{OrderCustomer, customer, customers};
use super::order_shipments::{self, OrderShipment};
use crate::account;
use crate::api_key;
use crate::clock::Timestamp;
use crate::error::{Entity, Error, Result};
use crate::id::{AccountId, OrderId, ReturnId};
use crate::money::Money;
use crate::order::{self, Order};
use crate::order_return::{self, OrderReturn, ReturnActor, ReturnKind, ReturnMove, ReturnStatus};
use crate::page::{Page, PageLimit, PageNumber, PageRequest, Pagination};
use crate::payment;
use crate::returning::Returns;
use crate::shipping;
use crate::storage::{Filter, Tx};
use crate::value::{OptionalText, Since, Until};

/// Customers whose returns a search looks at: of those that it finds, the latest.
const CUSTOMERS: i64 = 200;
/// More returns than these are not counted.
const COUNTED: i64 = 10_000;

/// Which returns to list, the latest first (`GET /api/admin/returns`).
#[apply(filter!)]
pub struct ReturnFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Returns a page.
    pub limit: Option<PageLimit>,
    /// Only those in this status.
    pub status: Option<ReturnStatus>,
    /// Only those that wait for staff (true), or the others (false): to be decided, to get their
    /// instructions, or to get their money.
    pub waiting: Option<bool>,
    /// Only of this kind.
    pub kind: Option<ReturnKind>,
    /// Only those of this order, by its id or its number.
    pub order: Option<OptionalText<64>>,
    /// The beginning of a protocol or of an order's number, words that begin words of the
    /// customer's name or e-mail, or the beginning of an e-mail up to its `@` and beyond.
    pub q: Option<OptionalText<120>>,
    /// Asked for on this day or at this time, or later.
    pub from: Option<Since>,
    /// Asked for until the end of this day, or before this time.
    pub to: Option<Until>,
}

/// Which returns wait for staff.
macro_rules! waits {
    () => {
        "status IN ('REQUESTED', 'APPROVED', 'RECEIVED') AND refund_status <> 'PENDING'"
    };
}
pub(super) use waits;

/// A return as the back office's list shows it.
#[apply(answer!)]
pub struct ReturnRow {
    /// The return.
    #[serde(flatten)]
    pub returned: OrderReturn,
    /// Who returns.
    pub user: OrderCustomer,
}

/// A return with all that staff know about it.
#[apply(answer!)]
pub struct ReturnDetail {
    /// The return.
    #[serde(flatten)]
    pub returned: OrderReturn,
    /// Who returns.
    pub user: OrderCustomer,
    /// Every status that it was moved to, oldest first.
    pub history: Vec<ReturnStep>,
}

/// A move of a return, with the name of who moved it.
#[apply(answer!)]
pub struct ReturnStep {
    /// The move.
    #[serde(flatten)]
    pub step: ReturnMove,
    /// The person's name, as it is now, the API key's, or the program's.
    pub actor_name: Option<String>,
}

/// One of a customer's own orders, with its returns and parcels.
#[apply(answer!)]
pub struct OrderWithReturns {
    /// The order.
    #[serde(flatten)]
    pub order: Order,
    /// What arrived for it, whatever went back.
    pub paid: Money,
    /// What of that went back.
    pub refunded: Money,
    /// The page on which the carrier shows the parcel of `trackingCode`; `null` where there is no
    /// code, or nobody knows the carrier's page.
    pub tracking_url: Option<String>,
    /// Whether it has an electronic invoice (NF-e) that is authorised.
    pub has_invoice: bool,
    /// Its returns, oldest first.
    pub returns: Vec<OrderReturn>,
    /// Its parcels that have a label, in their order.
    pub shipments: Vec<OrderShipment>,
}

impl Returns<'_> {
    /// A page of the returns that a filter finds, latest first. A search looks at the returns of
    /// the latest 200 customers that it finds. No more than 10,000 returns are counted.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, filter: ReturnFilter) -> Result<Page<ReturnRow>> {
        let job = move |tx: &mut dyn Tx| list(tx, &filter);
        self.settlement.context().db().read("return.list", job).await
    }

    /// A return with all that staff know about it.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    ///
    /// Cancel safe: reads only.
    pub async fn get_detail(&self, id: &ReturnId) -> Result<ReturnDetail> {
        let id = id.clone();
        self.settlement.context().db().read("return.detail", move |tx| detail(tx, &id)).await
    }

    /// One of the customer's orders, with its returns and parcels.
    ///
    /// # Errors
    /// [`Error::NotFound`] also for another customer's.
    ///
    /// Cancel safe: reads only.
    pub async fn get_order(
        &self,
        customer: &AccountId,
        order: &OrderId,
    ) -> Result<OrderWithReturns> {
        let (customer, id) = (customer.clone(), order.clone());
        let urls = self.settlement.context().config().shipping.tracking_urls.clone();
        let job = move |tx: &mut dyn Tx| {
            let order = order::owned(tx, &customer, &id)?.ok_or(Error::NotFound(Entity::Order))?;
            own(tx, order, &urls)
        };
        self.settlement.context().db().lookup("order.get", job).await
    }
}

/// An order with what its customer sees beside it.
fn own(tx: &mut dyn Tx, order: Order, urls: &BTreeMap<String, String>) -> Result<OrderWithReturns> {
    let payments = payment::store::of_order(tx, &order.id)?;
    let (carrier, code) = (order.carrier.as_deref(), order.tracking_code.as_deref());
    Ok(OrderWithReturns {
        paid: payments.iter().map(|it| it.captured).sum(),
        refunded: payments.iter().map(|it| it.refunded).sum(),
        tracking_url: code.and_then(|code| shipping::tracking_url(urls, carrier, code)),
        #[cfg(feature = "nfe")]
        has_invoice: crate::invoicing::authorized_key(tx, &order.id)?.is_some(),
        #[cfg(not(feature = "nfe"))]
        has_invoice: false,
        returns: order_return::of_order(tx, &order.id)?,
        shipments: order_shipments::of_order(tx, &order.id)?,
        order,
    })
}

fn detail(tx: &mut dyn Tx, id: &ReturnId) -> Result<ReturnDetail> {
    let returned = order_return::by_id(tx, id)?.ok_or(Error::NotFound(Entity::Return))?;
    let user = customer(tx, &returned.user_id)?;
    let mut history = Vec::new();
    for step in order_return::history(tx, id)? {
        let actor_name = match (step.actor, &step.actor_id) {
            (ReturnActor::Staff, Some(id)) => account::name_of(tx, &id.as_str().into())?,
            (ReturnActor::Key, Some(id)) => api_key::name_of(tx, &id.as_str().into())?,
            (ReturnActor::System, name) => name.clone(),
            _ => None,
        };
        history.push(ReturnStep { step, actor_name });
    }
    Ok(ReturnDetail { returned, user, history })
}

/// What a search looks for.
struct Search {
    /// Protocols from this one on, and before the other.
    from: String,
    to: String,
    customers: Vec<AccountId>,
}

impl Search {
    fn of(tx: &mut dyn Tx, wanted: &ReturnFilter) -> Result<Option<Self>> {
        let q = wanted.q.as_ref().map_or("", OptionalText::as_str);
        if q.is_empty() {
            return Ok(None);
        }
        let customers = customer_search::matching(tx, q, CUSTOMERS)?;
        let from = q.to_uppercase();
        Ok(Some(Self { to: format!("{from}\u{10FFFF}"), from, customers }))
    }
}

fn conditions<'p>(wanted: &'p ReturnFilter, search: Option<&'p Search>) -> Filter<'p> {
    let mut filter = Filter::default();
    filter.compare("status =", wanted.status.map(ReturnStatus::as_str));
    match wanted.waiting {
        Some(true) => filter.and(waits!()),
        Some(false) => filter.and(concat!("NOT (", waits!(), ")")),
        None => {}
    }
    filter.compare("kind =", wanted.kind.map(ReturnKind::as_str));
    filter.compare("created_at >=", wanted.from.map(Since::get));
    filter.compare("created_at <", wanted.to.map(Until::get));
    let order = wanted.order.as_ref().map(OptionalText::as_str).filter(|it| !it.is_empty());
    if let Some(order) = order {
        let (id, number) = (filter.bind(order), filter.bind(order));
        filter.and(&format!("(order_id = {id} OR order_number = {number})"));
    }
    if let Some(Search { from, to, customers }) = search {
        let (from, to) = (filter.bind(from.as_str()), filter.bind(to.as_str()));
        let mut any = vec![format!("protocol >= {from} AND protocol < {to}")];
        if !customers.is_empty() {
            any.push(format!("account_id IN ({})", filter.bind_all(customers)));
        }
        filter.and(&format!("({})", any.join(" OR ")));
    }
    filter
}

fn list(tx: &mut dyn Tx, wanted: &ReturnFilter) -> Result<Page<ReturnRow>> {
    let request = PageRequest::of(wanted.page, wanted.limit);
    let search = Search::of(tx, wanted)?;
    let mut filter = conditions(wanted, search.as_ref());
    let total = filter.count(tx, "order_return", COUNTED)?;
    let conditions = filter.sql().to_owned();
    let (limit, skip) = (filter.bind(request.limit), filter.bind(request.offset()));
    let sql = format!(
        "SELECT id FROM order_return{conditions} ORDER BY created_at DESC, id DESC
         LIMIT {limit} OFFSET {skip}"
    );
    let ids: Vec<ReturnId> = tx.list(&sql, filter.params())?;
    let data = rows(tx, &ids)?;
    Ok(Page { data, pagination: Pagination::new(request, total) })
}

/// The returns of these ids, in their order, with who returns: a few queries, however many.
fn rows(tx: &mut dyn Tx, ids: &[ReturnId]) -> Result<Vec<ReturnRow>> {
    let returns = order_return::by_ids(tx, ids)?;
    let users: Vec<AccountId> = returns.iter().map(|it| it.user_id.clone()).collect();
    let users = customers(tx, &users)?;
    let row = |returned: OrderReturn| {
        let user = users.get(&returned.user_id).cloned();
        let user = user.ok_or_else(|| Error::internal("a return without an account"))?;
        Ok(ReturnRow { returned, user })
    };
    returns.into_iter().map(row).collect()
}

/// A return that waits for staff, as the list of tasks shows it.
#[apply(answer!)]
pub struct WaitingReturn {
    /// Which one.
    pub id: ReturnId,
    /// The number that people use.
    pub protocol: String,
    /// Of which order.
    pub order_id: OrderId,
    /// The order's number.
    pub order_number: String,
    /// A withdrawal or a defect.
    pub kind: ReturnKind,
    /// The state of the return.
    pub status: ReturnStatus,
    /// When it was asked for.
    pub created_at: Timestamp,
}
