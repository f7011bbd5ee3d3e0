//! Mails about an order, and the money that was paid for it.

use serde::{Deserialize, Serialize};

use super::{Order, OrderId, OrderItem, Term, link};
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::context::Context;
use crate::mail::{
    Block, Item, MailTemplate, Mailbox, Page, RenderedMail, button, greeting, paragraph, small,
};
use crate::money::Money;
use crate::payment::PaymentMethod;
use crate::shipment::SentParcel;
use crate::shipping::{self, ShippingRules};

/// What mails about an order tell.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names of the values say what they are")]
pub enum OrderMail {
    /// The confirmation of an order, as it was placed.
    OrderPlaced { order: Box<Order> },
    /// An order was paid.
    PaymentReceived { order: Box<Order> },
    /// An order was handed to the carrier, in these parcels where the shop bought their labels.
    OrderShipped {
        order: Box<Order>,
        #[serde(default)]
        parcels: Vec<SentParcel>,
    },
    /// An order arrived; its lines have the units that were sent.
    OrderDelivered {
        order: Box<Order>,
        #[serde(default)]
        delivered_at: Option<Timestamp>,
    },
    /// An order was cancelled: by the shop, or because it stayed unpaid.
    OrderCancelled { order: Box<Order>, unpaid: bool },
    /// Staff gave an order the status REFUNDED, which moves no money.
    OrderMarkedRefunded { order: Box<Order> },
    /// Money went back.
    MoneyRefunded { order: Box<Order>, amount: Money, method: PaymentMethod },
}

impl MailTemplate for OrderMail {
    fn kind(&self) -> &'static str {
        match self {
            Self::OrderPlaced { .. } => "order-placed",
            Self::PaymentReceived { .. } => "payment-received",
            Self::OrderShipped { .. } => "order-shipped",
            Self::OrderDelivered { .. } => "order-delivered",
            Self::OrderCancelled { .. } => "order-cancelled",
            Self::OrderMarkedRefunded { .. } => "order-marked-refunded",
            Self::MoneyRefunded { .. } => "money-refunded",
        }
    }

    fn order(&self) -> Option<&OrderId> {
        let (Self::OrderPlaced { order }
        | Self::PaymentReceived { order }
        | Self::OrderShipped { order, .. }
        | Self::OrderDelivered { order, .. }
        | Self::OrderCancelled { order, .. }
        | Self::OrderMarkedRefunded { order }
        | Self::MoneyRefunded { order, .. }) = self;
        Some(&order.id)
    }

    fn render(&self, cx: &Context, to: &Mailbox, _: Option<&Secret>) -> RenderedMail {
        let page = match self {
            Self::OrderPlaced { order } => placed(cx, to, order),
            Self::PaymentReceived { order } => paid(cx, to, order),
            Self::OrderShipped { order, parcels } => shipped(cx, to, order, parcels),
            Self::OrderDelivered { order, delivered_at } => delivered(cx, to, order, *delivered_at),
            Self::OrderCancelled { order, unpaid } => cancelled(cx, to, order, *unpaid),
            Self::OrderMarkedRefunded { order } => marked_refunded(cx, to, order),
            Self::MoneyRefunded { order, amount, method } => {
                money_refunded(cx, to, order, *amount, *method)
            }
        };
        page.into()
    }
}

fn placed(cx: &Context, to: &Mailbox, order: &Order) -> Page {
    let number = &order.order_number;
    let next = if order.total > Money::ZERO {
        "Assim que o pagamento for confirmado, começamos a prepará-lo."
    } else {
        "Não há nada a pagar: já vamos começar a prepará-lo."
    };
    let mut blocks = vec![
        greeting(to),
        paragraph(format!("Recebemos seu pedido {number}. {next}")),
        Block::Items(order.items.iter().map(item).collect()),
        Block::Totals(totals(cx, order)),
        address(order),
    ];
    if let Some(notes) = &order.notes {
        blocks.push(Block::Quote { label: "Suas observações".to_owned(), text: notes.clone() });
    }
    blocks.push(see_order(cx, to, order));
    Page {
        subject: format!("Recebemos seu pedido {number}"),
        preview: format!("Total: {}", order.total.in_reais()),
        heading: "Agradecemos a sua compra".to_owned(),
        blocks,
    }
}

fn paid(cx: &Context, to: &Mailbox, order: &Order) -> Page {
    let (number, total) = (&order.order_number, order.total.in_reais());
    let received = if order.total > Money::ZERO {
        format!("Recebemos o pagamento de {total} do pedido {number} e já estamos preparando tudo")
    } else {
        format!("O pedido {number} não tem valor a pagar e já estamos preparando tudo")
    };
    Page {
        subject: format!("Pagamento confirmado: pedido {number}"),
        preview: "Já estamos preparando tudo.".to_owned(),
        heading: "Pagamento confirmado".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(format!(
                "{received} com carinho. Você receberá um aviso quando o pedido for enviado."
            )),
            Block::Items(order.items.iter().map(item).collect()),
            see_order(cx, to, order),
        ],
    }
}

/// Names the carrier, and links to the page on which it shows each parcel.
fn shipped(cx: &Context, to: &Mailbox, order: &Order, parcels: &[SentParcel]) -> Page {
    let number = &order.order_number;
    let by = order.carrier.as_ref().map(|carrier| format!(" por {carrier}")).unwrap_or_default();
    let mut blocks = vec![
        greeting(to),
        paragraph(format!("Seu pedido {number} foi postado{by} e está a caminho.")),
    ];
    match parcels {
        [] => blocks.extend(entered_code(cx, order)),
        parcels => blocks.extend(parcels.iter().flat_map(SentParcel::blocks)),
    }
    if let Some(service) = &order.shipping_service {
        blocks.push(paragraph(format!("Forma de envio: {service}.")));
    }
    blocks.push(address(order));
    blocks.push(Block::Link { text: "Ver meu pedido".to_owned(), url: order_url(cx, to, order) });
    Page {
        subject: format!("Seu pedido {number} foi enviado"),
        preview: "Ele já está a caminho.".to_owned(),
        heading: "Seu pedido está a caminho".to_owned(),
        blocks,
    }
}

/// The code that staff entered.
fn entered_code(cx: &Context, order: &Order) -> Vec<Block> {
    let Some(code) = &order.tracking_code else { return Vec::new() };
    let label = "Código de rastreio".to_owned();
    let mut blocks = vec![Block::Box { label, lines: vec![code.clone()] }];
    let urls = &cx.config().shipping.tracking_urls;
    let url = shipping::tracking_url(urls, order.carrier.as_deref(), code);
    blocks.extend(url.map(|url| button("Rastrear a entrega", url)));
    blocks
}

fn delivered(cx: &Context, to: &Mailbox, order: &Order, delivered_at: Option<Timestamp>) -> Page {
    let number = &order.order_number;
    let mut blocks = vec![
        greeting(to),
        paragraph(format!("O pedido {number} foi entregue. Esperamos que você goste!")),
        Block::Items(order.items.iter().map(item).collect()),
    ];
    blocks.extend(withdrawal(cx, delivered_at));
    blocks.push(see_order(cx, to, order));
    let wrong = "Se ele não chegou, ou se algo não veio como deveria, responda a este e-mail.";
    blocks.push(small(wrong));
    Page {
        subject: format!("Seu pedido {number} foi entregue"),
        preview: "Esperamos que você goste.".to_owned(),
        heading: "Seu pedido foi entregue".to_owned(),
        blocks,
    }
}

/// Until when and where a customer withdraws from the purchase (Decreto 7.962/2013, art. 5). A mail
/// that an earlier version wrote does not know when the order arrived.
fn withdrawal(cx: &Context, delivered_at: Option<Timestamp>) -> Option<Block> {
    let term = Term::of(delivered_at, cx.config().returns.withdrawal_days);
    let last_day = term.last_day()?.format("%d/%m/%Y");
    Some(paragraph(format!(
        "Se mudar de ideia, você pode desistir da compra até {last_day}, sem precisar dizer o \
         motivo: é só pedir a devolução na página do pedido."
    )))
}

fn cancelled(cx: &Context, to: &Mailbox, order: &Order, unpaid: bool) -> Page {
    let number = &order.order_number;
    let (why, then) = if unpaid {
        (
            format!(
                "O pedido {number} foi cancelado porque o pagamento não foi confirmado dentro do \
                 prazo."
            ),
            "Se ainda quiser os produtos, é só fazer um novo pedido.",
        )
    } else {
        (
            format!("O pedido {number} foi cancelado."),
            "Se você já tinha pagado, a devolução do valor será avisada em outro e-mail.",
        )
    };
    Page {
        subject: format!("Seu pedido {number} foi cancelado"),
        preview: why.clone(),
        heading: "Pedido cancelado".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(why),
            Block::Items(order.items.iter().map(item).collect()),
            paragraph(then),
            see_order(cx, to, order),
            small("Ficou com alguma dúvida? Responda a este e-mail."),
        ],
    }
}

fn marked_refunded(cx: &Context, to: &Mailbox, order: &Order) -> Page {
    let number = &order.order_number;
    Page {
        subject: format!("Seu pedido {number} foi marcado como reembolsado"),
        preview: "Veja o que isso significa.".to_owned(),
        heading: "Pedido marcado como reembolsado".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(format!(
                "O pedido {number} foi marcado como reembolsado. Essa marcação, por si só, não \
                 movimenta dinheiro: quando um valor é devolvido por aqui, você recebe outro \
                 e-mail que diz quanto e por qual meio."
            )),
            see_order(cx, to, order),
            small("Ficou com alguma dúvida? Responda a este e-mail."),
        ],
    }
}

fn money_refunded(
    cx: &Context,
    to: &Mailbox,
    order: &Order,
    amount: Money,
    method: PaymentMethod,
) -> Page {
    let (number, amount) = (&order.order_number, amount.in_reais());
    let total = ("Total do pedido".to_owned(), order.total.in_reais());
    Page {
        subject: format!("Reembolso de {amount}: pedido {number}"),
        preview: way_back(method).to_owned(),
        heading: "Reembolso realizado".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(format!("Devolvemos {amount} do pedido {number}. {}", way_back(method))),
            Block::Totals(vec![total, ("Valor devolvido".to_owned(), amount)]),
            see_order(cx, to, order),
        ],
    }
}

/// By which way money goes back.
fn way_back(method: PaymentMethod) -> &'static str {
    match method {
        PaymentMethod::Pix => "O valor volta por PIX para a conta que fez o pagamento.",
        PaymentMethod::CreditCard => {
            "O valor volta para o cartão de crédito usado na compra e, conforme o banco, aparece \
             na fatura atual ou em uma das próximas."
        }
        _ => "O valor volta pelo mesmo meio usado no pagamento.",
    }
}

fn item(item: &OrderItem) -> Item {
    Item {
        name: item.product_name_snapshot.clone(),
        detail: item.variant_snapshot.clone(),
        quantity: item.quantity,
        total: item.total.in_reais(),
    }
}

fn totals(cx: &Context, order: &Order) -> Vec<(String, String)> {
    let mut totals = vec![("Subtotal".to_owned(), order.subtotal.in_reais())];
    if order.discount > Money::ZERO {
        totals.push(("Desconto".to_owned(), format!("− {}", order.discount.in_reais())));
    }
    let label = match &order.shipping_service {
        Some(service) => format!("Frete ({service})"),
        None => "Frete".to_owned(),
    };
    totals.push((label, freight(cx, order)));
    totals.push(("Total".to_owned(), order.total.in_reais()));
    totals
}

/// What sending it costs. Where nothing could be quoted and it is not free either, that is agreed
/// upon with the customer.
fn freight(cx: &Context, order: &Order) -> String {
    let is_free = ShippingRules::of(&cx.config().shipping).is_free(order.subtotal);
    match order.shipping {
        Money::ZERO if is_free || order.shipping_service.is_some() => "Grátis".to_owned(),
        Money::ZERO => "A combinar".to_owned(),
        price => price.in_reais(),
    }
}

fn address(order: &Order) -> Block {
    let to = &order.address;
    let complement = to.complement.as_ref().map(|text| format!(", {text}")).unwrap_or_default();
    Block::Box {
        label: "Endereço de entrega".to_owned(),
        lines: vec![
            format!("{}, {}{complement}", to.street, to.number),
            format!("{}, {} - {}", to.district, to.city, to.state),
            format!("CEP {}", to.zip_code.punctuated()),
        ],
    }
}

fn see_order(cx: &Context, to: &Mailbox, order: &Order) -> Block {
    button("Ver meu pedido", order_url(cx, to, order))
}

fn order_url(cx: &Context, to: &Mailbox, order: &Order) -> String {
    link::url(cx, to, &order.id, &order.order_number)
}
