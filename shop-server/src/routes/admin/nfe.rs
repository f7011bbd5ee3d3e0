//! Electronic invoices (`/api/admin/orders/{id}/nfe`, `/api/admin/nfe`) and what they say of
//! products.

use bytes::Bytes;
use hyper::Method;
use hyper::header::{CONTENT_DISPOSITION, HeaderMap, HeaderValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shop_core::Result;
use shop_core::error::Error;
use shop_core::id::{OrderId, ProductId};
use shop_core::invoicing::{
    EmitInvoice, InvoiceFilter, InvoiceStatus, IssuedInvoice, Month, ProductFiscal,
    ProductFiscalPatch, WithdrawInvoice,
};
use shop_core::page::Page;

use crate::caller::Admin;
use crate::input::{IfMatch, Json, OptionalJson, Path, Query};
use crate::openapi::Header;
use crate::output::{File, Ok200, Versioned, WithHeaders};
use crate::reply::Code;
use crate::route::{Call, Route, admin};

pub(super) fn rows() -> Vec<Route> {
    [of_orders(), of_periods(), of_products()].into_iter().flatten().collect()
}

fn of_orders() -> Vec<Route> {
    vec![
        admin(Method::POST, "/api/admin/orders/{id}/nfe/emitir", "emitInvoice", emit)
            .about("Issue the NF-e of a paid order; a repeat answers with the same one")
            .fails(&[
                Code::OrderNotFound,
                Code::OrderNotPaid,
                Code::NfeRejected,
                Code::NfeDenied,
                Code::ProviderFailure,
            ]),
        admin(Method::GET, "/api/admin/orders/{id}/nfe", "getInvoice", get)
            .about("How far an order's NF-e is, and the tax office's last word")
            .fails(&[Code::OrderNotFound, Code::InvoiceNotFound]),
        admin(Method::GET, "/api/admin/orders/{id}/nfe/danfe", "getDanfe", danfe)
            .about("The NF-e on paper (DANFE), as a PDF")
            .fails(&[Code::OrderNotFound, Code::InvoiceNotFound])
            .headers(&[Header::ContentDisposition])
            .media(&["application/pdf"]),
        admin(Method::GET, "/api/admin/orders/{id}/nfe/xml", "getInvoiceXml", xml)
            .about("The authorised NF-e with its protocol (nfeProc)")
            .fails(&[Code::OrderNotFound, Code::InvoiceNotFound])
            .headers(&[Header::ContentDisposition])
            .media(&["application/xml; charset=utf-8"]),
        admin(Method::POST, "/api/admin/orders/{id}/nfe/cancelar", "cancelInvoice", cancel)
            .about("Cancel an authorised NF-e, within 24 hours and before the goods leave")
            .fails(&[
                Code::OrderNotFound,
                Code::InvoiceNotFound,
                Code::GoodsLeft,
                Code::NfeRejected,
                Code::ProviderFailure,
            ]),
        admin(
            Method::POST,
            "/api/admin/orders/{id}/nfe/inutilizar",
            "disableInvoiceNumber",
            disable,
        )
        .about("Make the number of an NF-e that was not authorised invalid, for good")
        .fails(&[
            Code::OrderNotFound,
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
            .headers(&[Header::ContentDisposition])
            .media(&["application/zip"]),
    ]
}

fn of_products() -> Vec<Route> {
    const FISCAL: &str = "/api/admin/products/{id}/fiscal";
    vec![
        admin(Method::GET, FISCAL, "getProductFiscal", fiscal)
            .about("What NF-e say of a product; null where the shop's settings hold")
            .fails(&[Code::ProductNotFound]),
        admin(Method::PATCH, FISCAL, "patchProductFiscal", set_fiscal)
            .about("Change what NF-e say of a product from now on")
            .fails(&[Code::ProductNotFound]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct OrderPath {
    /// The order's id.
    id: OrderId,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ProductPath {
    /// The product's id.
    id: ProductId,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct MonthQuery {
    /// Such as 2026-11.
    month: Month,
}

/// The state of an invoice.
#[derive(Debug, Serialize, JsonSchema)]
struct NfeResult {
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
    (Path(OrderPath { id }), OptionalJson(EmitInvoice { cpf })): (
        Path<OrderPath>,
        OptionalJson<EmitInvoice>,
    ),
) -> Result<Ok200<NfeResult>> {
    let invoice = call.shop().invoices().emit(&call.caller.actor(), &id, cpf).await?;
    Ok(Ok200(invoice.into()))
}

async fn get(
    call: Call<Admin>,
    Path(OrderPath { id }): Path<OrderPath>,
) -> Result<Ok200<IssuedInvoice>> {
    call.shop().invoices().get_by_order(&id).await.map(Ok200)
}

async fn danfe(
    call: Call<Admin>,
    Path(OrderPath { id }): Path<OrderPath>,
) -> Result<WithHeaders<File>> {
    let pdf = call.shop().invoices().render_danfe(&id).await?;
    attachment(&format!("danfe-{id}.pdf"), "application/pdf", pdf.into())
}

async fn xml(
    call: Call<Admin>,
    Path(OrderPath { id }): Path<OrderPath>,
) -> Result<WithHeaders<File>> {
    let xml = call.shop().invoices().get_xml(&id).await?;
    let name = format!("{}-procNFe.xml", xml.key);
    attachment(&name, "application/xml; charset=utf-8", xml.nfe_proc.into())
}

async fn cancel(
    call: Call<Admin>,
    (Path(OrderPath { id }), OptionalJson(why)): (Path<OrderPath>, OptionalJson<WithdrawInvoice>),
) -> Result<Ok200<NfeResult>> {
    let invoice = call.shop().invoices().cancel(&call.caller.actor(), &id, why).await?;
    Ok(Ok200(invoice.into()))
}

async fn disable(
    call: Call<Admin>,
    (Path(OrderPath { id }), OptionalJson(why)): (Path<OrderPath>, OptionalJson<WithdrawInvoice>),
) -> Result<Ok200<NfeResult>> {
    let invoice = call.shop().invoices().disable_number(&call.caller.actor(), &id, why).await?;
    Ok(Ok200(invoice.into()))
}

async fn list(
    call: Call<Admin>,
    Query(filter): Query<InvoiceFilter>,
) -> Result<Ok200<Page<IssuedInvoice>>> {
    call.shop().invoices().list(filter).await.map(Ok200)
}

async fn export(
    call: Call<Admin>,
    Query(MonthQuery { month }): Query<MonthQuery>,
) -> Result<WithHeaders<File>> {
    let archive = call.shop().invoices().export(month).await?;
    attachment(&format!("nfe-{month}.zip"), "application/zip", archive.into())
}

async fn fiscal(
    call: Call<Admin>,
    Path(ProductPath { id }): Path<ProductPath>,
) -> Result<Versioned<Ok200<ProductFiscal>>> {
    versioned(call.shop().invoices().get_fiscal(&id).await?)
}

async fn set_fiscal(
    call: Call<Admin>,
    (Path(ProductPath { id }), IfMatch(seen), Json(patch)): (
        Path<ProductPath>,
        IfMatch,
        Json<ProductFiscalPatch>,
    ),
) -> Result<Versioned<Ok200<ProductFiscal>>> {
    let by = call.caller.actor();
    versioned(call.shop().invoices().update_fiscal(&by, &id, patch, seen).await?)
}

fn versioned(fiscal: ProductFiscal) -> Result<Versioned<Ok200<ProductFiscal>>> {
    let revision = fiscal.revision()?;
    Ok(Versioned(Ok200(fiscal), revision))
}

/// A file to be saved under this name, which has no quotes.
fn attachment(name: &str, content_type: &'static str, body: Bytes) -> Result<WithHeaders<File>> {
    let disposition = HeaderValue::from_str(&format!("attachment; filename={name}"));
    let disposition = disposition.map_err(Error::from_source)?;
    let content_type = HeaderValue::from_static(content_type);
    let file = File { content_type, body };
    Ok(WithHeaders(file, HeaderMap::from_iter([(CONTENT_DISPOSITION, disposition)])))
}
