//! Electronic invoices (`/api/admin/orders/{id}/nfe`, `/api/admin/nfe`) and what they say of
//! products.

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use hyper::header::HeaderValue;
use shop_core::error::{Entity, Error};
use shop_core::id::{CategoryId, OrderId, ProductId};
use shop_core::invoicing::{
    CorrectInvoice, Correction, EmitInvoice, FiscalDetail, InvoiceCheck, InvoiceFilter,
    InvoiceStatus, IssuedInvoice, Month, ProductFiscalPatch, WithdrawInvoice,
};
use shop_core::page::Page;

use crate::input::OptionalJson;
use crate::output::attachment;
use crate::routes::prelude::*;

const ZIP: HeaderValue = HeaderValue::from_static("application/zip");

pub(super) fn rows() -> Vec<Route> {
    [of_orders(), of_periods(), of_products()].into_iter().flatten().collect()
}

fn of_orders() -> Vec<Route> {
    vec![
        admin(Method::POST, "/api/admin/orders/{id}/nfe/emitir", "emitInvoice", emit)
            .about("Issue the NF-e of a paid order; a repeat answers with the same one")
            .fails(&[
                Code::OrderNotPaid,
                Code::OrderWithdrawn,
                Code::NfeRejected,
                Code::NfeDenied,
                Code::ProviderFailure,
            ]),
        admin(Method::GET, "/api/admin/orders/{id}/nfe/check", "checkInvoice", check)
            .about("What the tax office would refuse of an order's NF-e, before it is issued")
            .fails(&[Code::OrderNotPaid, Code::OrderWithdrawn]),
        admin(Method::GET, "/api/admin/orders/{id}/nfe", "getInvoice", get)
            .about("How far an order's NF-e is, and the tax office's last word")
            .fails(&[Code::InvoiceNotFound]),
        admin(Method::GET, "/api/admin/orders/{id}/nfe/danfe", "getDanfe", danfe)
            .about("The NF-e on paper (DANFE), as a PDF")
            .fails(&[Code::InvoiceNotFound])
            .headers(&[Header::ContentDisposition])
            .media(&["application/pdf"]),
        admin(Method::GET, "/api/admin/orders/{id}/nfe/xml", "getInvoiceXml", xml)
            .about("The authorised NF-e with its protocol (nfeProc)")
            .fails(&[Code::InvoiceNotFound])
            .headers(&[Header::ContentDisposition])
            .media(&["application/xml; charset=utf-8"]),
        admin(Method::POST, "/api/admin/orders/{id}/nfe/cancelar", "cancelInvoice", cancel)
            .about("Cancel an authorised NF-e, within 24 hours and before the goods leave")
            .fails(&[
                Code::InvoiceNotFound,
                Code::GoodsLeft,
                Code::InvoiceReturned,
                Code::NfeRejected,
                Code::ProviderFailure,
            ]),
        admin(Method::POST, "/api/admin/orders/{id}/nfe/correcao", "correctInvoice", correct)
            .about("Register a correction letter (carta de correção) for an authorised NF-e, within 720 hours")
            .details(
                "The last letter replaces all before: its text repeats what still holds of them. It \
                 cannot change amounts, the buyer or dates. A text that is in force already is no \
                 new letter.",
            )
            .fails(&[
                Code::InvoiceNotFound,
                Code::InvoiceCancelled,
                Code::CorrectionTooLate,
                Code::CorrectionsUsedUp,
                Code::NfeRejected,
                Code::ProviderFailure,
            ]),
        admin(
            Method::GET,
            "/api/admin/orders/{id}/nfe/correcao/{number}/pdf",
            "getCorrectionPdf",
            correction_pdf,
        )
        .about("A registered correction letter on paper, as a PDF")
        .fails(&[Code::InvoiceNotFound])
        .headers(&[Header::ContentDisposition])
        .media(&["application/pdf"]),
        admin(
            Method::POST,
            "/api/admin/orders/{id}/nfe/inutilizar",
            "disableInvoiceNumber",
            disable,
        )
        .about("Make the number of an NF-e that was not authorised invalid, for good")
        .fails(&[
            Code::InvoiceNotFound,
            Code::InvoiceAuthorized,
            Code::InvoiceCancelled,
            Code::NfeRejected,
            Code::ProviderFailure,
        ]),
    ]
}

fn of_periods() -> Vec<Route> {
    vec![
        admin(Method::GET, "/api/admin/nfe", "listInvoices", list)
            .about("NF-e of a period, the latest first"),
        admin(Method::GET, "/api/admin/nfe/export", "exportInvoices", export)
            .about("All XML of a month as a ZIP, for the accountant")
            .details(
                "All that there is by now of the invoices that were issued in it, and the \
                 cancellations, correction letters and invalid numbers of earlier invoices that were \
                 registered in it.",
            )
            .media(&["application/zip"]),
    ]
}

fn of_products() -> Vec<Route> {
    const FISCAL: &str = "/api/admin/products/{id}/fiscal";
    const OF_CATEGORY: &str = "/api/admin/categories/{id}/fiscal";
    vec![
        admin(Method::GET, FISCAL, "getProductFiscal", fiscal)
            .about("What NF-e say of a product: its own, and what holds where it says nothing"),
        admin(Method::PATCH, FISCAL, "patchProductFiscal", set_fiscal)
            .about("Change what NF-e say of a product from now on")
            .details("Codes that the company's regime does not take are refused.")
            .fails(&[Code::ImportUnderWay]),
        admin(Method::GET, OF_CATEGORY, "getCategoryFiscal", category_fiscal)
            .about("What NF-e say of a category's products that say nothing else"),
        admin(Method::PATCH, OF_CATEGORY, "patchCategoryFiscal", set_category_fiscal)
            .about("Change what NF-e say of a category's products that say nothing else")
            .fails(&[Code::ImportUnderWay]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct MonthQuery {
    /// Such as 2026-11.
    month: Month,
}

/// A correction letter of an order's invoice.
#[derive(Debug, Deserialize, JsonSchema)]
struct CorrectionPath {
    /// The order's id.
    id: OrderId,
    /// The correction letter's number among the invoice's, 1 to 20.
    number: String,
}

/// The state of an invoice.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NfeResult {
    status: InvoiceStatus,
    chave: Option<String>,
    numero: u32,
    serie: u16,
}

impl From<IssuedInvoice> for NfeResult {
    fn from(invoice: IssuedInvoice) -> Self {
        let IssuedInvoice { status, key, number, series, .. } = invoice;
        Self { status, chave: key, numero: number, serie: series }
    }
}

async fn emit(
    call: Call<Admin>,
    Id(id): Id<OrderId>,
    OptionalJson(buyer): OptionalJson<EmitInvoice>,
) -> Result<NfeResult> {
    let invoice = call.shop().invoices().emit(&call.actor(), &id, buyer).await?;
    Ok(invoice.into())
}

async fn check(call: Call<Admin>, Id(id): Id<OrderId>) -> Result<InvoiceCheck> {
    call.shop().invoices().check_order(&id, EmitInvoice::default()).await
}

async fn get(call: Call<Admin>, Id(id): Id<OrderId>) -> Result<IssuedInvoice> {
    call.shop().invoices().get_by_order(&id).await
}

async fn danfe(call: Call<Admin>, Id(id): Id<OrderId>) -> Result<WithHeaders<File>> {
    let pdf = call.shop().invoices().render_danfe(&id).await?;
    attachment(&format!("danfe-{id}.pdf"), "application/pdf", pdf.into())
}

async fn xml(call: Call<Admin>, Id(id): Id<OrderId>) -> Result<WithHeaders<File>> {
    let xml = call.shop().invoices().get_xml(&id).await?;
    let name = format!("{}-procNFe.xml", xml.key);
    attachment(&name, "application/xml; charset=utf-8", xml.nfe_proc.into())
}

async fn cancel(
    call: Call<Admin>,
    Id(id): Id<OrderId>,
    OptionalJson(why): OptionalJson<WithdrawInvoice>,
) -> Result<NfeResult> {
    let invoice = call.shop().invoices().cancel(&call.actor(), &id, why).await?;
    Ok(invoice.into())
}

async fn correct(
    call: Call<Admin>,
    Id(id): Id<OrderId>,
    Repeat(key): Repeat,
    Json(new): Json<CorrectInvoice>,
) -> Result<Correction> {
    call.shop().invoices().correct(&call.actor(), &id, new, key).await
}

async fn correction_pdf(
    call: Call<Admin>,
    Path(CorrectionPath { id, number }): Path<CorrectionPath>,
) -> Result<WithHeaders<File>> {
    let sequence = number.parse().map_err(|_| Error::NotFound(Entity::Invoice))?;
    let pdf = call.shop().invoices().render_correction(&id, sequence).await?;
    attachment(&format!("cce-{id}-{sequence}.pdf"), "application/pdf", pdf.into())
}

async fn disable(
    call: Call<Admin>,
    Id(id): Id<OrderId>,
    OptionalJson(why): OptionalJson<WithdrawInvoice>,
) -> Result<NfeResult> {
    let invoice = call.shop().invoices().disable_number(&call.actor(), &id, why).await?;
    Ok(invoice.into())
}

async fn list(
    call: Call<Admin>,
    Query(filter): Query<InvoiceFilter>,
) -> Result<Page<IssuedInvoice>> {
    call.shop().invoices().list(filter).await
}

async fn export(
    call: Call<Admin>,
    Query(MonthQuery { month }): Query<MonthQuery>,
) -> Result<Download> {
    Ok(Download {
        content_type: ZIP,
        name: format!("nfe-{month}.zip"),
        pieces: call.shop().invoices().export(month).map_ok(Bytes::from).boxed(),
    })
}

async fn fiscal(call: Call<Admin>, Id(id): Id<ProductId>) -> Result<Versioned<FiscalDetail>> {
    call.shop().invoices().get_fiscal(&id).await.and_then(Versioned::of)
}

async fn set_fiscal(
    call: Call<Admin>,
    Id(id): Id<ProductId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<ProductFiscalPatch>,
) -> Result<Versioned<FiscalDetail>> {
    let invoices = call.shop().invoices();
    invoices.update_fiscal(&call.actor(), &id, patch, expected).await.and_then(Versioned::of)
}

async fn category_fiscal(
    call: Call<Admin>,
    Id(id): Id<CategoryId>,
) -> Result<Versioned<FiscalDetail>> {
    call.shop().invoices().get_category_fiscal(&id).await.and_then(Versioned::of)
}

async fn set_category_fiscal(
    call: Call<Admin>,
    Id(id): Id<CategoryId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<ProductFiscalPatch>,
) -> Result<Versioned<FiscalDetail>> {
    let invoices = call.shop().invoices();
    let changed = invoices.update_category_fiscal(&call.actor(), &id, patch, expected).await;
    changed.and_then(Versioned::of)
}
