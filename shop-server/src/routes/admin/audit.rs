//! What was done in the back office (`/api/admin/audit`).

use shop_core::audit::{AuditEntry, AuditFilter};
use shop_core::page::Page;

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, "/api/admin/audit", "listAuditLog", list)
            .about("The actions of staff in the back office, the latest first"),
    ]
}

async fn list(call: Call<Admin>, Query(filter): Query<AuditFilter>) -> Result<Page<AuditEntry>> {
    call.shop().audit().list(filter).await
}
