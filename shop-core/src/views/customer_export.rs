//! All customers, however many, a piece at a time, as a file for spreadsheet programs.

use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use serde::Serialize;

use super::customer::TOTAL_SPENT;
use crate::account::{Customers, Role};
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::Result;
use crate::id::AccountId;
use crate::lane;
use crate::money::Money;
use crate::spreadsheet::{Cell, Spreadsheet};
use crate::storage::{Filter, Tx, read_columns};

/// Customers of one piece: what is in memory at a time.
const PIECE: u32 = 500;

const COLUMNS: [&str; 9] = [
    "Nome",
    "E-mail",
    "Telefone",
    "Situação",
    "Cadastro",
    "Pedidos",
    "Total gasto",
    "Último pedido",
    "Conta",
];

/// Which customers to export (`GET /api/admin/customers/export`).
#[apply(filter!)]
#[derive(Copy, Serialize)]
pub struct CustomerExportFilter {
    /// Only those who can log in, or only those who are suspended.
    pub active: Option<bool>,
    /// Only guests, who have no password, or only the others.
    pub guest: Option<bool>,
}

/// A customer in the file.
struct ExportedCustomer {
    id: AccountId,
    name: String,
    email: String,
    phone: Option<String>,
    is_active: bool,
    created_at: Timestamp,
    orders: i64,
    total_spent: Money,
    last_order: Option<Timestamp>,
    guest: bool,
}

/// How far an export is: the last customer of the last piece.
type Cursor = (Timestamp, AccountId);

impl Customers<'_> {
    /// The customers that a filter finds, oldest first, as a CSV file for spreadsheet programs
    /// (`export.decimal`). A piece is read when it is asked for, each in a transaction of its own,
    /// so it takes the same memory however many there are. The audit log keeps who took it along.
    ///
    /// # Errors
    /// When the log cannot be written; the pieces, when the database fails.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn export_csv(
        &self,
        by: &Actor,
        filter: CustomerExportFilter,
    ) -> Result<impl Stream<Item = Result<Vec<u8>>> + Send + use<>> {
        let (by, at) = (by.clone(), self.cx.work());
        let until = at.now();
        let note = move |tx: &mut dyn Tx| {
            audit::record(tx, &at, &by, "customer.export_all", "customers", &(), &filter)
        };
        self.cx.db().write(lane::CUSTOMERS, "customer.note_export", note).await?;
        let sheet = Spreadsheet::new(self.cx.config().export);
        let head = stream::once(async move { sheet.head(&COLUMNS) });
        let body = pieces(self.cx.clone(), filter, until).and_then(move |piece| async move {
            let rows: Vec<Texts<'_>> = piece.iter().map(Texts::of).collect();
            sheet.rows(rows.iter().map(Texts::cells))
        });
        Ok(head.chain(body))
    }
}

/// A customer with the texts that are made for the file.
struct Texts<'a> {
    customer: &'a ExportedCustomer,
    created_at: String,
    last_order: String,
}

impl<'a> Texts<'a> {
    fn of(customer: &'a ExportedCustomer) -> Self {
        Self {
            customer,
            created_at: customer.created_at.local_text(),
            last_order: customer.last_order.map(Timestamp::local_text).unwrap_or_default(),
        }
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        let Self { customer, created_at, last_order } = self;
        vec![
            Cell::Text(&customer.name),
            Cell::Text(&customer.email),
            Cell::Text(customer.phone.as_deref().unwrap_or_default()),
            Cell::Text(if customer.is_active { "Ativo" } else { "Suspenso" }),
            Cell::Text(created_at),
            Cell::Number(customer.orders),
            Cell::Money(customer.total_spent),
            Cell::Text(last_order),
            Cell::Text(if customer.guest { "Convidado" } else { "Cadastrada" }),
        ]
    }
}

fn pieces(
    cx: Context,
    filter: CustomerExportFilter,
    until: Timestamp,
) -> impl Stream<Item = Result<Vec<ExportedCustomer>>> + Send {
    let first: Cursor = (Timestamp::from_millis(i64::MIN), "".into());
    stream::try_unfold(Some((cx, first)), move |state| async move {
        let Some((cx, after)) = state else { return Ok(None) };
        let job = move |tx: &mut dyn Tx| following(tx, filter, &after, until);
        let piece = cx.db().read("customer.export", job).await?;
        let full = u32::try_from(piece.len()) == Ok(PIECE);
        let last = piece.last().filter(|_| full);
        let next = last.map(|last| (cx.clone(), (last.created_at, last.id.clone())));
        Ok((!piece.is_empty()).then_some((piece, next)))
    })
}

/// The piece is found by an index before anything is joined to it.
fn following(
    tx: &mut dyn Tx,
    wanted: CustomerExportFilter,
    after: &Cursor,
    until: Timestamp,
) -> Result<Vec<ExportedCustomer>> {
    let mut filter = Filter::default();
    filter.compare("role =", Some(Role::Customer.as_str()));
    filter.compare("active =", wanted.active);
    filter.compare("guest =", wanted.guest);
    let (at, id) = (filter.bind(after.0), filter.bind(&after.1));
    filter.and(&format!("(created_at, id) > ({at}, {id})"));
    filter.compare("created_at <=", Some(until));
    let conditions = filter.sql().to_owned();
    let limit = filter.bind(PIECE);
    let sql = format!(
        "SELECT a.id, a.name, a.email, a.phone, a.active, a.created_at, count(o.id),
           {TOTAL_SPENT}, max(o.created_at), a.guest
         FROM (SELECT id AS piece_id FROM account{conditions}
               ORDER BY created_at, id LIMIT {limit}) hit
         CROSS JOIN account a LEFT JOIN orders o ON o.account_id = a.id
         WHERE a.id = hit.piece_id
         GROUP BY a.id, a.name, a.email, a.phone, a.active, a.created_at, a.guest
         ORDER BY a.created_at, a.id"
    );
    tx.list(&sql, filter.params())
}

read_columns!(ExportedCustomer: id, name, email, phone, is_active, created_at, orders, total_spent, last_order, guest);
