//! Invoices of orders: a number, a document, an authorisation, and what comes after.
//!
//! ```text
//! NUMBERED -> SIGNED -> AUTHORIZED -> CANCELLED
//!                    -> REJECTED -> SIGNED ..   the same number, a corrected document
//!                    -> DENIED                  the number is used up
//!                    -> TAKEN                   another program's document has the number
//! NUMBERED, SIGNED, REJECTED -> DISABLED        the number will have no document
//! ```
//!
//! An authorised invoice may have correction letters, each of which is stored, handed over and
//! looked up like an invoice.
//!
//! A number is taken in a transaction that fails as a whole when the invoice cannot be made. A
//! document is stored before it is handed over, and the office is asked about its key before
//! anything is handed over again: whatever crashes in between, an order's sale has one invoice.
//!
//! Goods that come back have invoices of their own, which go the same way: as many as there are
//! returns, of no more units than were sold.

mod answer;
mod asked_buyer;
mod cancel;
mod check;
mod compose;
mod conclusive;
mod correct;
mod customer_copy;
mod disable;
mod draft;
mod emit;
mod export;
mod fiscal;
mod issue;
mod issuer_setup;
mod month;
mod number;
mod parcels;
mod retry;
mod return_note;
mod returned;
mod store;
mod terms;
mod units;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::{Entity, Error, Result};
use crate::fiscal::TaxEnvironment;
use crate::id::{InvoiceId, OrderId};
use crate::money::Money;
use crate::nfe::danfe::{self, DanfeOptions};
use crate::nfe::issuer::IssuerError;
use crate::page::{Page, PageLimit, PageNumber};
use crate::value::{Since, Text, Until, words};
use std::sync::Arc;

pub use self::asked_buyer::EmitInvoice;
pub use self::check::{InvoiceCheck, InvoiceProblem, ProductCheck};
pub use self::correct::{CorrectInvoice, Correction, CorrectionStatus};
pub use self::customer_copy::InvoiceMail;
pub use self::fiscal::FiscalDetail;
pub(crate) use self::issuer_setup::{IssuerSetup, danfe_logo};
pub use self::month::Month;
pub use self::returned::{IssuedReturn, IssuedReturnItem, ReturnGoods, ReturnGoodsItem};
pub(crate) use self::store::{authorized_key, of_account, owes_invoice, says_address};
pub use crate::catalog::{ProductFiscal, ProductFiscalPatch};
pub use crate::fiscal::InvoiceStatus;
pub use crate::nfe::ReturnGround;

/// How long the request that handed something over has it for itself, before the background work
/// asks what became of it.
const GRACE: Duration = Duration::from_secs(2 * 60);

words! {
    /// What an invoice is about.
    #[derive(Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    pub enum InvoiceKind {
        /// Goods that were sold.
        #[serde(rename = "venda")]
        Sale = "SALE",
        /// Goods that came back.
        #[serde(rename = "devolucao")]
        Return = "RETURN",
    }
}

/// Which invoice something is to be done with.
#[derive(Debug, Clone)]
enum Target {
    /// The latest one of an order's sale.
    SaleOf(OrderId),
    /// One of a return.
    Return(InvoiceId),
}

/// An invoice of an order.
#[apply(answer!)]
pub struct IssuedInvoice {
    /// The invoice's id.
    pub id: InvoiceId,
    /// The order.
    pub order_id: OrderId,
    /// The order's number, as people know it.
    pub order_number: String,
    /// Whether goods were sold or came back.
    #[serde(rename = "tipo")]
    pub kind: InvoiceKind,
    /// The invoice's state.
    pub status: InvoiceStatus,
    /// Its access key, from when on it has a document.
    #[serde(rename = "chave")]
    pub key: Option<String>,
    /// Its number.
    #[serde(rename = "numero")]
    pub number: u32,
    /// Its series.
    #[serde(rename = "serie")]
    pub series: u16,
    /// Whether it has legal effect.
    #[serde(rename = "ambiente")]
    pub environment: TaxEnvironment,
    /// What it comes to.
    #[serde(rename = "valor")]
    pub total: Money,
    /// The number of its authorisation's protocol.
    #[serde(rename = "protocolo")]
    pub protocol: Option<String>,
    /// The code of the tax office's latest answer about it.
    #[serde(rename = "codigo")]
    pub answer_code: Option<i64>,
    /// The text of that answer.
    #[serde(rename = "motivo")]
    pub answer: Option<String>,
    /// When its document was made, or its number taken.
    #[serde(rename = "emitidaEm")]
    pub issued_at: Timestamp,
    /// When it was authorised.
    #[serde(rename = "autorizadaEm")]
    pub authorized_at: Option<Timestamp>,
    /// When it was cancelled.
    #[serde(rename = "canceladaEm")]
    pub cancelled_at: Option<Timestamp>,
    /// Its correction letters, in the order in which they were written; of those that are
    /// registered the last one holds.
    #[serde(rename = "correcoes")]
    pub corrections: Vec<Correction>,
}

/// An invoice in the copy of all that the shop keeps about a person.
#[apply(answer!)]
pub struct ExportedInvoice {
    /// The order's number, as people know it.
    pub order_number: String,
    /// Whether goods were sold or came back.
    #[serde(rename = "tipo")]
    pub kind: InvoiceKind,
    /// The invoice's state.
    pub status: InvoiceStatus,
    /// Its access key, from when on it has a document.
    #[serde(rename = "chave")]
    pub key: Option<String>,
    /// Its number.
    #[serde(rename = "numero")]
    pub number: u32,
    /// Its series.
    #[serde(rename = "serie")]
    pub series: u16,
    /// What it comes to.
    #[serde(rename = "valor")]
    pub total: Money,
    /// When its document was made, or its number taken.
    #[serde(rename = "emitidaEm")]
    pub issued_at: Timestamp,
    /// The authorised document, which names the person.
    pub xml: Option<String>,
    /// Its cancellation.
    pub cancellation_xml: Option<String>,
    /// Its correction letters.
    pub correction_xml: Vec<String>,
}

/// Why an invoice, or a number, is not wanted any more.
#[apply(input!)]
#[derive(Default)]
pub struct WithdrawInvoice {
    /// In the shop's own words, 15 to 255 characters; the tax office keeps them.
    #[serde(rename = "justificativa")]
    pub reason: Option<Text<15, 255>>,
}

/// Which invoices to list, the latest first.
#[apply(filter!)]
pub struct InvoiceFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Invoices a page.
    pub limit: Option<PageLimit>,
    /// Only of this kind.
    #[serde(rename = "tipo")]
    pub kind: Option<InvoiceKind>,
    /// Only in this status.
    pub status: Option<InvoiceStatus>,
    /// Issued on this day or at this time, or later.
    pub from: Option<Since>,
    /// Issued until the end of this day, or before this time.
    pub to: Option<Until>,
}

/// Electronic invoices: [`Shop::invoices`](crate::Shop::invoices).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
///
/// let order = shop.order().await?;
/// shop.payments().create_pix(&order.user_id, &order.id, None).await?;
/// shop.sandbox().pay(&order.order_number).await?;
/// let cpf = "529.982.247-25".parse()?;
/// shop.invoices().emit(&Actor::System, &order.id, Some(cpf)).await?;
/// let pdf = shop.invoices().render_danfe(&order.id).await?;
/// assert!(pdf.starts_with(b"%PDF"));
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Invoices<'a> {
    cx: &'a Context,
    setup: &'a Arc<IssuerSetup>,
}

/// What invoices are made with. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Invoicing {
    cx: Context,
    setup: Arc<IssuerSetup>,
}

impl Invoicing {
    pub(crate) fn new(cx: Context, setup: IssuerSetup) -> Self {
        Self { cx, setup: Arc::new(setup) }
    }
}

impl<'a> Invoices<'a> {
    fn owned(self) -> Invoicing {
        Invoicing { cx: self.cx.clone(), setup: Arc::clone(self.setup) }
    }

    pub(crate) fn new(invoicing: &'a Invoicing) -> Self {
        Self { cx: &invoicing.cx, setup: &invoicing.setup }
    }

    /// The latest invoice of an order's sale.
    ///
    /// # Errors
    /// [`Entity::Invoice`] when it has none.
    ///
    /// Cancel safe: reads only.
    pub async fn get_by_order(&self, order: &OrderId) -> Result<IssuedInvoice> {
        let (order, scope) = (order.clone(), self.setup.scope);
        let found = move |tx: &mut dyn crate::storage::Tx| store::latest(tx, scope, &order);
        let row = self.cx.db().lookup("nfe.of_order", found).await?;
        row.map(|row| row.invoice).ok_or(Error::NotFound(Entity::Invoice))
    }

    /// The document of an order's latest invoice that was authorised (`nfeProc`), also when it was
    /// cancelled since.
    ///
    /// # Errors
    /// [`Entity::Invoice`] when none was.
    ///
    /// Cancel safe: reads only.
    pub async fn get_xml(&self, order: &OrderId) -> Result<AuthorizedXml> {
        let (order, scope) = (order.clone(), self.setup.scope);
        let found = move |tx: &mut dyn crate::storage::Tx| store::authorized_xml(tx, scope, &order);
        let xml = self.cx.db().read("nfe.xml", found).await?;
        xml.ok_or(Error::NotFound(Entity::Invoice))
    }

    /// An order's authorised invoice on paper: the DANFE, as a PDF. A cancelled one says so.
    ///
    /// # Errors
    /// [`Entity::Invoice`] when none was authorised; [`Error::Internal`] when it cannot be drawn.
    ///
    /// Cancel safe: reads only.
    pub async fn render_danfe(&self, order: &OrderId) -> Result<Vec<u8>> {
        self.draw(self.get_xml(order).await?).await
    }

    async fn draw(&self, xml: AuthorizedXml) -> Result<Vec<u8>> {
        let logo = self.cx.danfe_logo();
        let options = DanfeOptions { logo, cancelled: xml.cancelled };
        let draw = move || danfe::render(&xml.nfe_proc, &options).map_err(Error::from_source);
        // An invoice of many pages takes a while.
        tokio::task::spawn_blocking(draw).await.map_err(Error::from_source)?
    }

    /// Invoices of a period, the latest first. No more than 10,000 are counted.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, filter: InvoiceFilter) -> Result<Page<IssuedInvoice>> {
        let scope = self.setup.scope;
        self.cx.db().read("nfe.list", move |tx| store::list(tx, scope, &filter)).await
    }
}

/// The document of an authorised invoice.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AuthorizedXml {
    /// Its access key.
    pub key: String,
    /// The `nfeProc`.
    pub nfe_proc: String,
    /// Whether it was cancelled.
    pub cancelled: bool,
}

impl From<IssuerError> for Error {
    fn from(error: IssuerError) -> Self {
        Self::Provider { name: "sefaz", source: std::sync::Arc::new(error) }
    }
}
