//! Orders as programs read them: everybody's, the latest first, from cursor to cursor, with what an
//! ERP needs of the customer.

use std::collections::HashMap;

use super::OrderCustomer;
use super::order_search::{self, OrderFilter, OrderRow, by_time};
use crate::clock::Timestamp;
use crate::error::{Entity, Error, Result};
use crate::id::OrderId;
use crate::order::{Order, OrderStatus, Orders};
use crate::page::{CursorPage, PageLimit, PageNumber, PageRequest, Pagination};
use crate::storage::{Filter, Tx};
use crate::value::{InvalidValue, OptionalText};

/// An order as programs read it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OrderRecord {
    /// The order.
    pub order: Order,
    /// Who placed it, as the account is now; of one that was erased nothing personal is left.
    pub customer: OrderCustomer,
    /// The article numbers of its line items as they are now, in their order.
    pub skus: Vec<Option<String>>,
}

/// Which orders a program reads (`GET /api/v1/orders`).
#[apply(filter!)]
pub struct OrderRecordFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Orders a page, 50 where it is left out; above 100 is taken as 100.
    #[cfg_attr(feature = "schema", schemars(extend("default" = 50)))]
    pub limit: Option<PageLimit>,
    /// A `nextCursor`: the orders behind it, whatever `page` says.
    pub after: Option<OptionalText<100>>,
    /// Only orders in this status.
    pub status: Option<OrderStatus>,
}

/// Where a page begins: behind the order that was placed at this time and has this id.
#[derive(Debug, Clone)]
struct Cursor {
    created_at: Timestamp,
    id: String,
}

impl Cursor {
    fn after(record: &OrderRecord) -> String {
        format!("{}.{}", record.order.created_at.millis(), record.order.id)
    }

    fn parse(text: &OptionalText<100>) -> Result<Self> {
        let parts = text.as_str().split_once('.');
        let read = parts.and_then(|(millis, id)| Some((millis.parse().ok()?, id)));
        let (millis, id) = read.ok_or_else(|| Error::field("after", InvalidValue::Cursor))?;
        Ok(Self { created_at: Timestamp::from_millis(millis), id: id.to_owned() })
    }
}

impl Orders<'_> {
    /// The orders that a program's filter finds, the latest first.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the cursor is none.
    ///
    /// Cancel safe: reads only.
    pub async fn list_records(&self, filter: OrderRecordFilter) -> Result<CursorPage<OrderRecord>> {
        let request = PageRequest::of_program(filter.page, filter.limit);
        let after = filter.after.as_ref().map(Cursor::parse).transpose()?;
        let job = move |tx: &mut dyn Tx| match &after {
            Some(after) => {
                let ids = behind(tx, filter.status, after, request.limit)?;
                let found = load(tx, &ids)?;
                Ok(CursorPage::new(found, request, None, Cursor::after))
            }
            None => page(tx, filter.status, request),
        };
        self.cx.db().read("order.records", job).await
    }

    /// Any customer's order, as programs read it.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    ///
    /// Cancel safe: reads only.
    pub async fn get_record(&self, id: &OrderId) -> Result<OrderRecord> {
        let id = id.clone();
        let job = move |tx: &mut dyn Tx| load(tx, std::slice::from_ref(&id));
        let found = self.cx.db().read("order.record", job).await?.pop();
        found.ok_or(Error::NotFound(Entity::Order))
    }
}

/// A page, with what counts the whole list.
fn page(
    tx: &mut dyn Tx,
    status: Option<OrderStatus>,
    request: PageRequest,
) -> Result<CursorPage<OrderRecord>> {
    let wanted = OrderFilter { status, ..OrderFilter::default() };
    let (total, ids) = by_time(tx, &wanted, request)?;
    let data = load(tx, &ids)?;
    let behind = request.offset() + i64::from(request.limit);
    let next_cursor = data.last().filter(|_| behind < total).map(Cursor::after);
    Ok(CursorPage { data, pagination: Some(Pagination::new(request, total)), next_cursor })
}

/// The orders behind a cursor, and one more than a page has, along an index.
fn behind(
    tx: &mut dyn Tx,
    status: Option<OrderStatus>,
    after: &Cursor,
    limit: u32,
) -> Result<Vec<OrderId>> {
    let mut filter = Filter::default();
    filter.compare("status =", status.map(OrderStatus::as_str));
    let (time, id) = (filter.bind(after.created_at), filter.bind(&after.id));
    filter.and(&format!("(created_at, id) < ({time}, {id})"));
    let conditions = filter.sql().to_owned();
    let limit = filter.bind(i64::from(limit) + 1);
    let sql = format!(
        "SELECT id FROM orders{conditions} ORDER BY created_at DESC, id DESC LIMIT {limit}"
    );
    tx.list(&sql, filter.params())
}

/// These orders in this order: five queries, however many they are.
fn load(tx: &mut dyn Tx, ids: &[OrderId]) -> Result<Vec<OrderRecord>> {
    let rows = order_search::rows(tx, ids)?;
    let mut skus = skus(tx, ids)?;
    let complete = rows.into_iter().map(|OrderRow { order, user }| {
        let skus = skus.remove(&order.id).unwrap_or_default();
        OrderRecord { order, customer: user, skus }
    });
    Ok(complete.collect())
}

fn skus(tx: &mut dyn Tx, ids: &[OrderId]) -> Result<HashMap<OrderId, Vec<Option<String>>>> {
    let mut found: HashMap<OrderId, Vec<Option<String>>> = HashMap::new();
    if ids.is_empty() {
        return Ok(found);
    }
    let mut filter = Filter::default();
    let sql = format!(
        "SELECT i.order_id, k.code FROM order_item i LEFT JOIN sku k ON k.item_id = i.item_id
         WHERE i.order_id IN ({}) ORDER BY i.order_id, i.position",
        filter.bind_all(ids)
    );
    tx.query(&sql, filter.params(), &mut |row| {
        found.entry(row.get(0)?).or_default().push(row.get(1)?);
        Ok(())
    })?;
    Ok(found)
}
