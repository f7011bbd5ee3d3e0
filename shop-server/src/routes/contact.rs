//! The newsletter and the contact form (`/api/newsletter/*`, `/api/contact`).

use std::time::Duration;

use shop_core::mail::ContactMessage;
use shop_core::newsletter::Subscribe;
use shop_core::value::Email;

use crate::routes::prelude::*;

/// Each message is a mail to the shop.
const CONTACT: Rate = Rate { name: "contact", max: 5, window: Duration::from_secs(60 * 60) };
/// Each subscription sends a mail, to whatever address it names.
const SUBSCRIBE: Rate = Rate { name: "newsletter", max: 20, window: Duration::from_secs(60 * 60) };
const UNSUBSCRIBE: Rate =
    Rate { name: "newsletter-leave", max: 20, window: Duration::from_secs(60 * 60) };

pub(super) fn rows() -> Vec<Route> {
    vec![
        public(Method::POST, "/api/newsletter/subscribe", "subscribeNewsletter", subscribe)
            .about("Receive the newsletter")
            .fails(&[Code::AlreadySubscribed])
            .rate(SUBSCRIBE),
        public(Method::POST, "/api/newsletter/unsubscribe", "unsubscribeNewsletter", unsubscribe)
            .about("Receive the newsletter no more, whether or not one did")
            .rate(UNSUBSCRIBE),
        public(Method::POST, "/api/contact", "contact", contact)
            .about("Write to the shop")
            .rate(CONTACT),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Unsubscribe {
    /// Where the newsletter went.
    email: Email,
}

async fn subscribe(call: Call<Public>, Json(input): Json<Subscribe>) -> Result<Message> {
    call.shop().newsletter().subscribe(input).await?;
    Ok(Message::new("Inscrição realizada"))
}

async fn unsubscribe(call: Call<Public>, Json(input): Json<Unsubscribe>) -> Result<Message> {
    call.shop().newsletter().unsubscribe(&input.email).await?;
    Ok(Message::new("Inscrição cancelada"))
}

async fn contact(call: Call<Public>, Json(message): Json<ContactMessage>) -> Result<Message> {
    call.shop().contact_form().send(message).await?;
    Ok(Message::new("Mensagem enviada"))
}
