//! What is printed to send orders (`/api/admin/orders/labels/..`).

use shop_core::id::OrderId;
use shop_core::labels::LabelKind;
use shop_core::value::Text;

use crate::output::attachment;
use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, "/api/admin/orders/labels/{kind}", "printLabels", print_many)
            .about("Labels (`address`), declarations of content (`content`) or packing slips (`slip`) of up to 100 orders, as one PDF, without orders of which nothing is left to be sent")
            .fails(&[Code::OrderNotFound, Code::OrderNotShippable])
            .headers(&[Header::ContentDisposition])
            .media(&["application/pdf"]),
        admin(Method::GET, "/api/admin/orders/{id}/labels/{kind}", "printOrderLabels", print)
            .about("Labels, declarations of content or packing slips of an order's parcels, as a PDF")
            .fails(&[Code::OrderNotFound, Code::OrderNotShippable])
            .headers(&[Header::ContentDisposition])
            .media(&["application/pdf"]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ManyPath {
    /// What is printed.
    kind: LabelKind,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct OnePath {
    /// The order's id.
    id: OrderId,
    /// What is printed.
    kind: LabelKind,
}

/// Which orders.
#[derive(Debug, Deserialize, JsonSchema)]
struct Wanted {
    /// The orders' ids, with commas between, at most 100.
    ids: Text<1, 4000>,
}

async fn print_many(
    call: Call<Admin>,
    Path(ManyPath { kind }): Path<ManyPath>,
    Query(Wanted { ids }): Query<Wanted>,
) -> Result<WithHeaders<File>> {
    let ids = ids.as_str().split(',').map(str::trim).filter(|id| !id.is_empty());
    let ids: Vec<OrderId> = ids.map(OrderId::from).collect();
    let pdf = call.shop().orders().print_labels(kind, &ids).await?;
    attachment(&format!("{}.pdf", kind.file_stem()), "application/pdf", pdf.into())
}

async fn print(
    call: Call<Admin>,
    Path(OnePath { id, kind }): Path<OnePath>,
) -> Result<WithHeaders<File>> {
    let pdf = call.shop().orders().print_labels(kind, std::slice::from_ref(&id)).await?;
    attachment(&format!("{}-{id}.pdf", kind.file_stem()), "application/pdf", pdf.into())
}
