//! Mails about parcels, beside those about their order ([`crate::order::OrderMail`]).

use serde::{Deserialize, Serialize};

use crate::config::Secret;
use crate::context::Context;
use crate::id::OrderId;
use crate::mail::{Block, MailTemplate, Mailbox, Page, RenderedMail, button, greeting, paragraph};
use crate::order::{self, Order};
use crate::shipment::SentParcel;

/// What mails about a parcel tell.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names of the values say what they are")]
pub enum ShipmentMail {
    /// A parcel of an order that was said to be on its way before: a further one, or the first of
    /// which there is more to say than that.
    ParcelPosted {
        order: Box<Order>,
        parcel: SentParcel,
        #[serde(default)]
        first: bool,
    },
}

impl MailTemplate for ShipmentMail {
    fn kind(&self) -> &'static str {
        match self {
            Self::ParcelPosted { .. } => "parcel-posted",
        }
    }

    fn order(&self) -> Option<&OrderId> {
        let Self::ParcelPosted { order, .. } = self;
        Some(&order.id)
    }

    fn render(&self, cx: &Context, to: &Mailbox, _: Option<&Secret>) -> RenderedMail {
        let Self::ParcelPosted { order, parcel, first } = self;
        posted(cx, to, order, parcel, *first).into()
    }
}

fn posted(cx: &Context, to: &Mailbox, order: &Order, parcel: &SentParcel, first: bool) -> Page {
    let number = &order.order_number;
    let (subject, heading, preview) = if first {
        let subject = format!("Seu pedido {number} já pode ser rastreado");
        (subject, "Acompanhe a entrega", "Veja o código de rastreio.")
    } else {
        let subject = format!("Mais um volume do seu pedido {number} foi enviado");
        (subject, "Mais um volume está a caminho", "Ele já está a caminho.")
    };
    let what = if first { "Seu" } else { "Mais um volume do seu" };
    let by = parcel.carrier.as_ref().map(|carrier| format!(" por {carrier}")).unwrap_or_default();
    let mut blocks: Vec<Block> =
        vec![greeting(to), paragraph(format!("{what} pedido {number} foi postado{by}."))];
    blocks.extend(parcel.blocks());
    blocks.push(button("Ver meu pedido", order::link_url(cx, to, &order.id, number)));
    Page { subject, preview: preview.to_owned(), heading: heading.to_owned(), blocks }
}
