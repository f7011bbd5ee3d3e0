//! A customer's in-app notifications (`/api/user/notifications`).

use shop_core::id::NotificationId;
use shop_core::notification::{Notification, NotificationPatch};

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        session(Method::GET, "/api/user/notifications", "listNotifications", list)
            .about("One's own notifications, newest first"),
        session(Method::PATCH, "/api/user/notifications/{id}", "updateNotification", update)
            .about("Mark a notification as read or unread"),
        session(Method::POST, "/api/user/notifications/read-all", "readNotifications", read_all)
            .about("Mark all of one's own notifications as read"),
    ]
}

async fn list(call: Call<Session>) -> Result<Vec<Notification>> {
    call.shop().notifications().list(&call.caller.0.id).await
}

async fn update(
    call: Call<Session>,
    Id(id): Id<NotificationId>,
    Json(patch): Json<NotificationPatch>,
) -> Result<Notification> {
    call.shop().notifications().update(&call.caller.0.id, &id, patch).await
}

async fn read_all(call: Call<Session>) -> Result<Message> {
    call.shop().notifications().mark_all_read(&call.caller.0.id).await?;
    Ok(Message::new("Notificações marcadas como lidas"))
}
