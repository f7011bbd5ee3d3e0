//! Invoices of goods that come back (`/api/admin/orders/{id}/nfe/devolucao`,
//! `/api/admin/nfe/devolucoes`).

use shop_core::id::{InvoiceId, OrderId};
use shop_core::invoicing::{IssuedReturn, ReturnGoods, WithdrawInvoice};

use super::nfe::NfeResult;
use crate::input::OptionalJson;
use crate::output::attachment;
use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    [of_orders(), of_returns()].into_iter().flatten().collect()
}

fn of_orders() -> Vec<Route> {
    vec![
        admin(Method::POST, "/api/admin/orders/{id}/nfe/devolucao", "issueReturnInvoice", issue)
            .about("Issue the NF-e of goods that come back: an entry of the shop's own")
            .fails(&[
                Code::InvoiceNotFound,
                Code::ReturnNotFound,
                Code::ReturnState,
                Code::NothingToReturn,
                Code::NfeRejected,
                Code::NfeDenied,
                Code::ProviderFailure,
            ])
            .details(
                "For an order whose NF-e is authorised; several are possible, of no more units than \
                 were sold. Without a body all units that are left come back by the right of \
                 withdrawal. With `returnId` they are those of that return, by its right, and the \
                 invoice comes to what the return gives back. Neither stock nor money moves by it: `items` are the units to put back \
                 on the shelf, `valor` is what may be given back. Send an `Idempotency-Key`, so that a \
                 repeat goes on with the same one; `returnId` alone, once all units of the return have \
                 an invoice, answers with its latest.",
            ),
        admin(Method::GET, "/api/admin/orders/{id}/nfe/devolucoes", "listReturnInvoices", list)
            .about("The NF-e of an order's returns, the latest first"),
    ]
}

fn of_returns() -> Vec<Route> {
    const RETURN: &str = "/api/admin/nfe/devolucoes/{id}";
    vec![
        admin(Method::GET, RETURN, "getReturnInvoice", get)
            .about("How far the NF-e of a return is, with the units that came back"),
        admin(Method::POST, "/api/admin/nfe/devolucoes/{id}/emitir", "retryReturnInvoice", retry)
            .about(
                "Go on with the NF-e of a return that is not authorised yet, with the same number",
            )
            .fails(&[Code::NfeRejected, Code::NfeDenied, Code::ProviderFailure]),
        admin(Method::GET, "/api/admin/nfe/devolucoes/{id}/danfe", "getReturnDanfe", danfe)
            .about("The NF-e of a return on paper (DANFE), as a PDF")
            .headers(&[Header::ContentDisposition])
            .media(&["application/pdf"]),
        admin(Method::GET, "/api/admin/nfe/devolucoes/{id}/xml", "getReturnInvoiceXml", xml)
            .about("The authorised NF-e of a return with its protocol (nfeProc)")
            .headers(&[Header::ContentDisposition])
            .media(&["application/xml; charset=utf-8"]),
        admin(
            Method::POST,
            "/api/admin/nfe/devolucoes/{id}/cancelar",
            "cancelReturnInvoice",
            cancel,
        )
        .about("Cancel the NF-e of a return, within 24 hours; its units can come back by another")
        .fails(&[Code::NfeRejected, Code::ProviderFailure]),
        admin(
            Method::POST,
            "/api/admin/nfe/devolucoes/{id}/inutilizar",
            "disableReturnInvoiceNumber",
            disable,
        )
        .about("Make the number of a return's NF-e that was not authorised invalid, for good")
        .fails(&[
            Code::InvoiceAuthorized,
            Code::InvoiceCancelled,
            Code::NfeRejected,
            Code::ProviderFailure,
        ]),
    ]
}

async fn issue(
    call: Call<Admin>,
    Id(id): Id<OrderId>,
    Repeat(key): Repeat,
    OptionalJson(goods): OptionalJson<ReturnGoods>,
) -> Result<Created<IssuedReturn>> {
    call.shop().invoices().issue_return(&call.actor(), &id, goods, key).await.map(Created)
}

async fn list(call: Call<Admin>, Id(id): Id<OrderId>) -> Result<Vec<IssuedReturn>> {
    call.shop().invoices().list_returns(&id).await
}

async fn get(call: Call<Admin>, Id(id): Id<InvoiceId>) -> Result<IssuedReturn> {
    call.shop().invoices().get_return(&id).await
}

async fn retry(call: Call<Admin>, Id(id): Id<InvoiceId>) -> Result<IssuedReturn> {
    call.shop().invoices().retry_return(&id).await
}

async fn danfe(call: Call<Admin>, Id(id): Id<InvoiceId>) -> Result<WithHeaders<File>> {
    let pdf = call.shop().invoices().render_return_danfe(&id).await?;
    attachment(&format!("danfe-{id}.pdf"), "application/pdf", pdf.into())
}

async fn xml(call: Call<Admin>, Id(id): Id<InvoiceId>) -> Result<WithHeaders<File>> {
    let xml = call.shop().invoices().get_return_xml(&id).await?;
    let name = format!("{}-procNFe.xml", xml.key);
    attachment(&name, "application/xml; charset=utf-8", xml.nfe_proc.into())
}

async fn cancel(
    call: Call<Admin>,
    Id(id): Id<InvoiceId>,
    OptionalJson(why): OptionalJson<WithdrawInvoice>,
) -> Result<NfeResult> {
    let invoice = call.shop().invoices().cancel_return(&call.actor(), &id, why).await?;
    Ok(invoice.into())
}

async fn disable(
    call: Call<Admin>,
    Id(id): Id<InvoiceId>,
    OptionalJson(why): OptionalJson<WithdrawInvoice>,
) -> Result<NfeResult> {
    let invoice = call.shop().invoices().disable_return_number(&call.actor(), &id, why).await?;
    Ok(invoice.into())
}
