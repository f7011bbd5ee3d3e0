//! All orders that a filter finds, however many, a piece at a time.

use std::collections::HashMap;

use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use serde_json::json;

use super::order_search::{OrderRow, rows};
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::Result;
use crate::id::OrderId;
use crate::lane;
use crate::money::Money;
use crate::order::{OrderStatus, Orders};
use crate::payment::PaymentMethod;
use crate::spreadsheet::{Cell, Spreadsheet};
use crate::storage::{Filter, Tx};
use crate::value::{Since, Until};

/// Orders of one piece: what is in memory at a time.
const PIECE: u32 = 500;

const COLUMNS: [&str; 19] = [
    "Pedido",
    "Data",
    "Status",
    "Cliente",
    "E-mail",
    "Telefone",
    "Itens",
    "Subtotal",
    "Desconto",
    "Frete",
    "Total",
    "Forma de pagamento",
    "Status do pagamento",
    "Cidade",
    "UF",
    "CEP",
    "Transportadora",
    "Código de rastreio",
    "Devolvido",
];

/// Which orders to export (`GET /api/admin/orders/export`).
#[apply(filter!)]
#[derive(Copy)]
pub struct OrderExportFilter {
    /// Only those in this status.
    pub status: Option<OrderStatus>,
    /// Placed on this day or at this time, or later.
    pub from: Option<Since>,
    /// Placed until the end of this day, or before this time.
    pub to: Option<Until>,
}

/// An order of the file.
struct Exported {
    row: OrderRow,
    /// What was refunded or charged back of its payments.
    gone: Money,
}

/// How far an export is: the last order of the last piece.
type Cursor = (Timestamp, OrderId);

impl Orders<'_> {
    /// The orders that a filter finds, oldest first, in pieces of a few hundred. A piece is read
    /// when it is asked for, each in a transaction of its own, so it takes the same memory however
    /// many orders there are and holds nothing up. Orders placed after the start are not in it.
    pub fn export(
        &self,
        filter: OrderExportFilter,
    ) -> impl Stream<Item = Result<Vec<OrderRow>>> + Send + use<> {
        let rows = |piece: Vec<Exported>| piece.into_iter().map(|it| it.row).collect();
        self.pieces(filter).map_ok(rows)
    }

    fn pieces(
        &self,
        filter: OrderExportFilter,
    ) -> impl Stream<Item = Result<Vec<Exported>>> + Send + use<> {
        let now = self.cx.now().plus(std::time::Duration::from_millis(1));
        let to = filter.to.map_or(now, |to| to.get().min(now));
        let start = filter.from.map_or(Timestamp::from_millis(i64::MIN), Since::get);
        let first: Cursor = (start, OrderId::from(""));
        let state = Some((self.cx.clone(), first));
        stream::try_unfold(state, move |state| async move {
            let Some((cx, after)) = state else { return Ok(None) };
            let (piece, next) = next_piece(&cx, filter.status, after, to).await?;
            let more = next.map(|cursor| (cx, cursor));
            Ok((!piece.is_empty()).then_some((piece, more)))
        })
    }

    /// The same as a CSV file for spreadsheet programs (`export.decimal`): UTF-8 with a byte order
    /// mark, names of columns in Portuguese, times as `2026-11-21 13:01:08` in São Paulo. The audit
    /// log keeps who took it along: it has names, e-mails and telephones.
    ///
    /// # Errors
    /// When the log cannot be written; the pieces, when the database fails.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn export_csv(
        &self,
        by: &Actor,
        filter: OrderExportFilter,
    ) -> Result<impl Stream<Item = Result<Vec<u8>>> + Send + use<>> {
        let (by, at) = (by.clone(), self.cx.work());
        let OrderExportFilter { status, from, to } = filter;
        let of =
            json!({ "status": status, "from": from.map(Since::get), "to": to.map(Until::get) });
        let note =
            move |tx: &mut dyn Tx| audit::record(tx, &at, &by, "order.export", "orders", &(), &of);
        self.cx.db().write(lane::CUSTOMERS, "order.note_export", note).await?;
        let sheet = Spreadsheet::new(self.cx.config().export);
        let head = stream::once(async move { sheet.head(&COLUMNS) });
        let body = self.pieces(filter).and_then(move |piece| async move {
            let dates: Vec<String> =
                piece.iter().map(|it| it.row.order.created_at.local_text()).collect();
            sheet.rows(piece.iter().zip(&dates).map(|(it, date)| cells(it, date)))
        });
        Ok(head.chain(body))
    }
}

fn cells<'a>(exported: &'a Exported, date: &'a str) -> Vec<Cell<'a>> {
    let Exported { row: OrderRow { order, user }, gone } = exported;
    let text = |text: &'a Option<String>| Cell::Text(text.as_deref().unwrap_or_default());
    let method = order.payment.method;
    vec![
        Cell::Text(&order.order_number),
        Cell::Text(date),
        Cell::Text(order.status.as_str()),
        Cell::Text(&user.name),
        Cell::Text(user.email.as_str()),
        text(&user.phone),
        Cell::Number(order.items.iter().map(|item| item.quantity).sum()),
        Cell::Money(order.subtotal),
        Cell::Money(order.discount),
        Cell::Money(order.shipping),
        Cell::Money(order.total),
        Cell::Text(method.map_or("", PaymentMethod::as_str)),
        Cell::Text(order.payment.status.as_str()),
        Cell::Text(&order.address.city),
        Cell::Text(order.address.state.as_str()),
        Cell::Text(order.address.zip_code.as_str()),
        text(&order.carrier),
        text(&order.tracking_code),
        Cell::Money(*gone),
    ]
}

async fn next_piece(
    cx: &Context,
    status: Option<OrderStatus>,
    after: Cursor,
    to: Timestamp,
) -> Result<(Vec<Exported>, Option<Cursor>)> {
    let job = move |tx: &mut dyn Tx| {
        let found = following(tx, status, &after, to)?;
        let ids: Vec<OrderId> = found.iter().map(|(_, id)| id.clone()).collect();
        let full = u32::try_from(ids.len()) == Ok(PIECE);
        let next = if full { found.into_iter().next_back() } else { None };
        let gone = gone(tx, &ids)?;
        let exported = |row: OrderRow| {
            let gone = gone.get(&row.order.id).copied().unwrap_or_default();
            Exported { row, gone }
        };
        Ok((rows(tx, &ids)?.into_iter().map(exported).collect(), next))
    };
    cx.db().read("order.export", job).await
}

/// What went back of the orders of which anything did.
fn gone(tx: &mut dyn Tx, ids: &[OrderId]) -> Result<HashMap<OrderId, Money>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut filter = Filter::default();
    let sql = format!(
        "SELECT order_id, CAST(sum(refunded + charged_back) AS BIGINT) FROM payment
         WHERE order_id IN ({}) GROUP BY order_id",
        filter.bind_all(ids)
    );
    let found: Vec<(OrderId, Money)> = tx.list(&sql, filter.params())?;
    Ok(found.into_iter().collect())
}

fn following(
    tx: &mut dyn Tx,
    status: Option<OrderStatus>,
    after: &Cursor,
    to: Timestamp,
) -> Result<Vec<Cursor>> {
    let mut filter = Filter::default();
    filter.compare("status =", status.map(OrderStatus::as_str));
    let (at, id) = (filter.bind(after.0), filter.bind(&after.1));
    filter.and(&format!("(created_at, id) > ({at}, {id})"));
    filter.compare("created_at <", Some(to));
    let conditions = filter.sql().to_owned();
    let limit = filter.bind(PIECE);
    let sql = format!(
        "SELECT created_at, id FROM orders{conditions} ORDER BY created_at, id LIMIT {limit}"
    );
    tx.list(&sql, filter.params())
}
