//! The customer's copies of an invoice: over the API, and in the mail that brings it.

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::issuer_setup::NumberScope;
use super::store::{self, StoredInvoice};
use super::{AuthorizedXml, InvoiceKind, InvoiceStatus, Invoices};
use crate::account;
use crate::clock::Timestamp;
use crate::config::{Config, Environment, Secret};
use crate::context::{Context, Work};
use crate::error::{Entity, Error, Result};
use crate::id::{AccountId, InvoiceId, OrderId};
use crate::mail::{
    Attachment, Block, MailTemplate, Mailbox, Page, RenderedMail, SendToken, button, greeting,
    paragraph,
};
use crate::money::Money;
use crate::nfe::danfe::{self, DanfeOptions};
use crate::order;
use crate::storage::Tx;

/// A DANFE larger than this is drawn without the logo, which is all that can make it so large.
const MOST_PDF: usize = 4 * 1024 * 1024;

/// What the mail of an invoice tells.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum InvoiceMail {
    /// An order's invoice was authorised; the DANFE and the XML come with it.
    InvoiceIssued {
        /// The invoice.
        invoice: InvoiceId,
        /// The order.
        order: OrderId,
        /// The order's number, as people know it.
        order_number: String,
        /// The invoice's number.
        number: u32,
        /// Its series.
        series: u16,
        /// Its access key.
        key: String,
        /// What it comes to.
        total: Money,
    },
}

impl Invoices<'_> {
    /// The authorised document of the invoice of one of the customer's orders (`nfeProc`).
    ///
    /// # Errors
    /// [`Entity::Order`] also for another customer's; [`Entity::Invoice`] where none is authorised,
    /// or it was cancelled since.
    ///
    /// Cancel safe: reads only.
    pub async fn get_xml_for_customer(
        &self,
        customer: &AccountId,
        order: &OrderId,
    ) -> Result<AuthorizedXml> {
        let (customer, order, scope) = (customer.clone(), order.clone(), self.setup.scope);
        let found = move |tx: &mut dyn Tx| {
            let order =
                order::owned(tx, &customer, &order)?.ok_or(Error::NotFound(Entity::Order))?;
            let xml = store::authorized_xml(tx, scope, &order.id)?.filter(|xml| !xml.cancelled);
            xml.ok_or(Error::NotFound(Entity::Invoice))
        };
        self.cx.db().read("nfe.xml_of_customer", found).await
    }

    /// The same on paper: the DANFE, as a PDF.
    ///
    /// # Errors
    /// As [`Invoices::get_xml_for_customer`]; [`Error::Internal`] when it cannot be drawn.
    ///
    /// Cancel safe: reads only.
    pub async fn render_danfe_for_customer(
        &self,
        customer: &AccountId,
        order: &OrderId,
    ) -> Result<Vec<u8>> {
        self.draw(self.get_xml_for_customer(customer, order).await?).await
    }
}

/// Whether customers are mailed their invoices: where the settings say so, and of a shop in
/// production only those that count.
pub(super) fn is_mailed(config: &Config, scope: NumberScope) -> bool {
    let counts = scope == NumberScope::Production;
    config.nfe.mail_customer && (counts || config.environment != Environment::Production)
}

/// Writes the mail of a sale's invoice, in the transaction that books its authorisation.
pub(super) fn enqueue(tx: &mut dyn Tx, at: &Work, stored: &StoredInvoice) -> Result<()> {
    let invoice = store::get(tx, &stored.invoice.id)?.invoice;
    if invoice.kind != InvoiceKind::Sale {
        return Ok(());
    }
    let order = order::find(tx, &invoice.order_id)?.ok_or(Error::NotFound(Entity::Order))?;
    let mail = InvoiceMail::InvoiceIssued {
        invoice: invoice.id,
        order: invoice.order_id,
        order_number: invoice.order_number,
        number: invoice.number,
        series: invoice.series,
        key: invoice.key.unwrap_or_default(),
        total: invoice.total,
    };
    account::enqueue_mail(tx, at, &order.user_id, &mail)
}

impl MailTemplate for InvoiceMail {
    fn kind(&self) -> &'static str {
        "invoice-issued"
    }

    fn order(&self) -> Option<&OrderId> {
        let Self::InvoiceIssued { order, .. } = self;
        Some(order)
    }

    /// An invoice that was cancelled before its mail left is not sent.
    fn issue_token(&self, tx: &mut dyn Tx, _: Timestamp) -> Result<SendToken> {
        let Self::InvoiceIssued { invoice, .. } = self;
        let status = store::get(tx, invoice)?.invoice.status;
        let is_good = status == InvoiceStatus::Authorized;
        Ok(if is_good { SendToken::None } else { SendToken::NotNeeded })
    }

    fn attachments<'a>(&'a self, cx: &'a Context) -> BoxFuture<'a, Result<Vec<Attachment>>> {
        let Self::InvoiceIssued { invoice, key, .. } = self;
        Box::pin(async move {
            let id = invoice.clone();
            let found = move |tx: &mut dyn Tx| store::xml_of(tx, &id);
            let xml = cx.db().read("nfe.xml_of_mail", found).await?;
            let xml = xml.ok_or(Error::NotFound(Entity::Invoice))?.nfe_proc;
            let (logo, of_danfe) = (cx.danfe_logo(), xml.clone());
            let draw = move || drawn(&of_danfe, logo);
            let pdf = tokio::task::spawn_blocking(draw).await.map_err(Error::from_source)??;
            Ok(vec![
                attachment(format!("danfe-{key}.pdf"), "application/pdf", pdf),
                attachment(format!("{key}-procNFe.xml"), "application/xml", xml.into_bytes()),
            ])
        })
    }

    fn render(&self, cx: &Context, to: &Mailbox, _: Option<&Secret>) -> RenderedMail {
        let Self::InvoiceIssued { order, order_number, number, series, key, total, .. } = self;
        let url = order::link_url(cx, to, order, order_number);
        let total = total.in_reais();
        let page = Page {
            subject: format!("Nota fiscal do pedido {order_number}"),
            preview: format!("NF-e nº {number}, no valor de {total}."),
            heading: "Sua nota fiscal está pronta".to_owned(),
            blocks: vec![
                greeting(to),
                paragraph(format!(
                    "A nota fiscal eletrônica do pedido {order_number} foi emitida, no valor de \
                     {total}. Ela vai em anexo: o DANFE, em PDF, para consultar e imprimir, e o \
                     arquivo XML, que é a nota em si. Guarde os dois: eles valem como comprovante da \
                     compra e para a garantia."
                )),
                Block::Box {
                    label: format!("NF-e nº {number}, série {series}"),
                    lines: vec![format!("Chave de acesso: {}", in_fours(key))],
                },
                button("Ver meu pedido", url),
            ],
        };
        page.into()
    }
}

fn attachment(name: String, content_type: &'static str, bytes: Vec<u8>) -> Attachment {
    Attachment { name, content_type, bytes }
}

fn drawn(nfe_proc: &str, logo: Option<Vec<u8>>) -> Result<Vec<u8>> {
    let draw = |logo| {
        let options = DanfeOptions { logo, cancelled: false };
        danfe::render(nfe_proc, &options).map_err(Error::from_source)
    };
    let pdf = draw(logo)?;
    if pdf.len() > MOST_PDF { draw(None) } else { Ok(pdf) }
}

/// A key as the DANFE has it.
fn in_fours(key: &str) -> String {
    let fours = key.as_bytes().chunks(4).map(String::from_utf8_lossy);
    fours.collect::<Vec<_>>().join(" ")
}
