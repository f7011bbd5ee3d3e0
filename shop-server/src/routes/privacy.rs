//! The export of personal data that the LGPD demands (`/api/user/export`).

use hyper::header::{CONTENT_DISPOSITION, HeaderMap, HeaderValue};
use shop_core::erasure::AccountExport;

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        session(Method::GET, "/api/user/export", "exportData", export)
            .about("All that the shop keeps about oneself, in one document")
            .headers(&[Header::ContentDisposition])
            .details("What the LGPD calls portability of data."),
    ]
}

/// Saved as a file, not shown.
const ATTACHMENT: HeaderValue = HeaderValue::from_static("attachment; filename=meus-dados.json");

async fn export(call: Call<Session>) -> Result<WithHeaders<AccountExport>> {
    let data = call.shop().accounts().export(&call.caller.0.id).await?;
    Ok(WithHeaders(data, HeaderMap::from_iter([(CONTENT_DISPOSITION, ATTACHMENT)])))
}
