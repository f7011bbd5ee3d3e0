//! The invoice of one of the customer's own orders (`/api/orders/{id}/nfe`).

use std::time::Duration;

use shop_core::id::OrderId;

use crate::output::attachment;
use crate::routes::prelude::*;

/// Drawing a DANFE takes work: 30 papers a minute.
const PAPERS: Rate = Rate { name: "invoice-papers", max: 30, window: Duration::from_secs(60) };

pub(super) fn rows() -> Vec<Route> {
    vec![
        order_owner(Method::GET, "/api/orders/{id}/nfe/danfe", "getOwnDanfe", danfe)
            .about("The NF-e of one of one's own orders on paper (DANFE), as a PDF")
            .fails(&[Code::InvoiceNotFound])
            .headers(&[Header::ContentDisposition])
            .media(&["application/pdf"])
            .rate(PAPERS),
        order_owner(Method::GET, "/api/orders/{id}/nfe/xml", "getOwnInvoiceXml", xml)
            .about("The authorised NF-e of one of one's own orders (nfeProc)")
            .fails(&[Code::InvoiceNotFound])
            .headers(&[Header::ContentDisposition])
            .media(&["application/xml; charset=utf-8"])
            .rate(PAPERS),
    ]
}

async fn danfe(call: Call<OrderOwner>, Id(id): Id<OrderId>) -> Result<WithHeaders<File>> {
    let OwnOrder { customer, id } = call.caller.order(call.shop(), &id).await?;
    let pdf = call.shop().invoices().render_danfe_for_customer(&customer, &id).await?;
    attachment(&format!("danfe-{id}.pdf"), "application/pdf", pdf.into())
}

async fn xml(call: Call<OrderOwner>, Id(id): Id<OrderId>) -> Result<WithHeaders<File>> {
    let OwnOrder { customer, id } = call.caller.order(call.shop(), &id).await?;
    let xml = call.shop().invoices().get_xml_for_customer(&customer, &id).await?;
    let name = format!("{}-procNFe.xml", xml.key);
    attachment(&name, "application/xml; charset=utf-8", xml.nfe_proc.into())
}
