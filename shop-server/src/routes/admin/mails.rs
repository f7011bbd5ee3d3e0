//! Mails that were given up (`/api/admin/mails`).

use shop_core::mail::{QueuedMails, ResendMails};

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::POST, "/api/admin/mails/resend", "resendMails", resend)
            .about("Send mails again that were given up, as after a mail server refused them by mistake")
            .details(
                "`GET /api/admin/dashboard/tasks` and the list of an order's mails name them. A mail \
                 that is older than five days is tried once, others until then.",
            ),
    ]
}

async fn resend(call: Call<Admin>, Json(input): Json<ResendMails>) -> Result<QueuedMails> {
    call.shop().mails().resend(&call.actor(), input).await
}
