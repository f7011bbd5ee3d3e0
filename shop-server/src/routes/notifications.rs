//! A customer's in-app notifications (`/api/user/notifications`).

use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::id::NotificationId;
use shop_core::notification::{Notification, NotificationPatch};

use crate::caller::Session;
use crate::input::{Json, Path};
use crate::output::{Message, Ok200};
use crate::reply::Code;
use crate::route::{Call, Route, session};

pub(super) fn rows() -> Vec<Route> {
    vec![
        session(Method::GET, "/api/user/notifications", "listNotifications", list)
            .about("One's own notifications, newest first"),
        session(Method::PATCH, "/api/user/notifications/{id}", "updateNotification", update)
            .about("Mark a notification as read or unread")
            .fails(&[Code::NotificationNotFound]),
        session(Method::POST, "/api/user/notifications/read-all", "readNotifications", read_all)
            .about("Mark all of one's own notifications as read"),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct NotificationPath {
    /// The notification's id.
    id: NotificationId,
}

async fn list(call: Call<Session>, (): ()) -> Result<Ok200<Vec<Notification>>> {
    call.shop().notifications().list(&call.caller.0.id).await.map(Ok200)
}

async fn update(
    call: Call<Session>,
    (Path(NotificationPath { id }), Json(patch)): (Path<NotificationPath>, Json<NotificationPatch>),
) -> Result<Ok200<Notification>> {
    call.shop().notifications().update(&call.caller.0.id, &id, patch).await.map(Ok200)
}

async fn read_all(call: Call<Session>, (): ()) -> Result<Ok200<Message>> {
    call.shop().notifications().mark_all_read(&call.caller.0.id).await?;
    Ok(Message::new("Notificações marcadas como lidas"))
}
