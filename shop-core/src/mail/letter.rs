//! What the shop writes to people, as data, and in which words.

use serde::{Deserialize, Serialize};

use super::mailbox::Mailbox;
use super::page::{Block, Item, Page};
use crate::account::ResetToken;
use crate::money::Money;
use crate::newsletter;
use crate::order::{Order, OrderItem};
use crate::shop::Shop;
use crate::value::Email;
use crate::webhook::DisabledReason;

/// A mail as the outbox keeps it. Tagged from outside: amounts are read from their very text, which
/// serde does not keep for the inside of other enums.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Letter {
    /// To who has registered.
    Welcome {},
    /// The confirmation of an order, as it was placed.
    OrderPlaced { order: Box<Order> },
    /// An order was paid.
    PaymentReceived { order: Box<Order> },
    /// An order was handed to the carrier.
    OrderShipped { order: Box<Order> },
    /// A link to choose another password.
    PasswordReset { token: ResetToken },
    /// To who has subscribed to the newsletter.
    NewsletterWelcome {},
    /// To who runs the shop: a receiver of webhooks was switched off.
    WebhookDisabled { host: String, reason: DisabledReason },
    /// To the shop, from its contact form.
    Contact { name: String, email: Email, subject: String, message: String },
}

/// A letter, ready to be made a mail of.
pub(super) struct Composed {
    pub(super) page: Page,
    pub(super) reply_to: Option<Mailbox>,
    pub(super) unsubscribe_url: Option<String>,
}

impl Letter {
    /// As the outbox calls it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Welcome {} => "welcome",
            Self::OrderPlaced { .. } => "order-placed",
            Self::PaymentReceived { .. } => "payment-received",
            Self::OrderShipped { .. } => "order-shipped",
            Self::PasswordReset { .. } => "password-reset",
            Self::NewsletterWelcome {} => "newsletter-welcome",
            Self::WebhookDisabled { .. } => "webhook-disabled",
            Self::Contact { .. } => "contact",
        }
    }

    /// Whether nobody but its reader may know what it says.
    pub(super) fn is_secret(&self) -> bool {
        matches!(self, Self::PasswordReset { .. })
    }

    pub(super) fn compose(&self, shop: &Shop, to: &Mailbox) -> Composed {
        let (base_url, name) = (shop.config().base_url(), super::dispatch::shop_name);
        let shop_name = name(&shop.config().mail.from);
        let (mut reply_to, mut unsubscribe_url) = (None, None);
        let page = match self {
            Self::Welcome {} => welcome(&shop_name, &base_url, to),
            Self::OrderPlaced { order } => order_placed(&base_url, to, order),
            Self::PaymentReceived { order } => payment_received(&base_url, to, order),
            Self::OrderShipped { order } => order_shipped(&base_url, to, order),
            Self::PasswordReset { token } => password_reset(&base_url, to, token),
            Self::NewsletterWelcome {} => {
                let url = newsletter::unsubscribe_url(shop, &to.email);
                unsubscribe_url = Some(url.clone());
                newsletter_welcome(&shop_name, &base_url, to, url)
            }
            Self::WebhookDisabled { host, reason } => {
                webhook_disabled(&base_url, to, host, *reason)
            }
            Self::Contact { name, email, subject, message } => {
                reply_to = Some(Mailbox { name: Some(name.clone()), email: email.clone() });
                contact(name, email, subject, message)
            }
        };
        Composed { page, reply_to, unsubscribe_url }
    }
}

/// "Olá, Ana!", as far as the name is known.
fn greeting(to: &Mailbox) -> Block {
    let first = to.name.as_deref().and_then(|name| name.split_whitespace().next());
    Block::Paragraph(first.map_or("Olá!".to_owned(), |first| format!("Olá, {first}!")))
}

fn paragraph(text: impl Into<String>) -> Block {
    Block::Paragraph(text.into())
}

fn welcome(shop: &str, base_url: &str, to: &Mailbox) -> Page {
    Page {
        subject: format!("Boas-vindas à {shop}"),
        preview: "Sua conta está pronta.".to_owned(),
        heading: "Que bom ter você aqui".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(
                "Sua conta está pronta. Com ela você acompanha seus pedidos, guarda seus \
                 endereços e compra com mais rapidez.",
            ),
            Block::Button { label: "Visitar a loja".to_owned(), url: format!("{base_url}/") },
        ],
    }
}

fn order_placed(base_url: &str, to: &Mailbox, order: &Order) -> Page {
    let number = &order.order_number;
    let mut blocks = vec![
        greeting(to),
        paragraph(format!(
            "Recebemos o seu pedido {number}. Assim que o pagamento for confirmado, começamos a \
             prepará-lo."
        )),
        Block::Items(order.items.iter().map(item).collect()),
        Block::Totals(totals(order)),
        address(order),
    ];
    if let Some(notes) = &order.notes {
        blocks.push(Block::Quote { label: "Suas observações".to_owned(), text: notes.clone() });
    }
    blocks.push(see_order(base_url, order));
    Page {
        subject: format!("Recebemos o seu pedido {number}"),
        preview: format!("Total: {}", reais(order.total)),
        heading: "Obrigado pela sua compra".to_owned(),
        blocks,
    }
}

fn payment_received(base_url: &str, to: &Mailbox, order: &Order) -> Page {
    let (number, total) = (&order.order_number, reais(order.total));
    Page {
        subject: format!("Pagamento confirmado: pedido {number}"),
        preview: format!("Recebemos {total}. Já estamos preparando tudo."),
        heading: "Pagamento confirmado".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(format!(
                "Recebemos o pagamento de {total} do pedido {number} e já estamos preparando tudo \
                 com carinho. Avisamos você quando o pedido for enviado."
            )),
            Block::Items(order.items.iter().map(item).collect()),
            see_order(base_url, order),
        ],
    }
}

fn order_shipped(base_url: &str, to: &Mailbox, order: &Order) -> Page {
    let number = &order.order_number;
    let mut blocks =
        vec![greeting(to), paragraph(format!("Seu pedido {number} saiu para entrega."))];
    if let Some(code) = &order.tracking_code {
        let label = "Código de rastreio".to_owned();
        blocks.push(Block::Box { label, lines: vec![code.clone()] });
    }
    if let Some(service) = &order.shipping_service {
        blocks.push(paragraph(format!("Forma de envio: {service}.")));
    }
    blocks.extend([address(order), see_order(base_url, order)]);
    Page {
        subject: format!("Seu pedido {number} foi enviado"),
        preview: "Ele está a caminho.".to_owned(),
        heading: "Seu pedido está a caminho".to_owned(),
        blocks,
    }
}

fn password_reset(base_url: &str, to: &Mailbox, token: &ResetToken) -> Page {
    let url = format!("{base_url}/reset-password?token={}", token.reveal());
    Page {
        subject: "Redefinição de senha".to_owned(),
        preview: "O link vale por 1 hora.".to_owned(),
        heading: "Vamos criar uma nova senha".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(
                "Recebemos um pedido para redefinir a senha da sua conta. O link abaixo vale por \
                 1 hora e só pode ser usado uma vez.",
            ),
            Block::Button { label: "Criar nova senha".to_owned(), url },
            Block::Small(
                "Se não foi você quem pediu, ignore esta mensagem: sua senha continua a mesma."
                    .to_owned(),
            ),
        ],
    }
}

fn newsletter_welcome(shop: &str, base_url: &str, to: &Mailbox, url: String) -> Page {
    Page {
        subject: format!("Você agora recebe as novidades da {shop}"),
        preview: "Lançamentos e ofertas, sem exageros.".to_owned(),
        heading: "Inscrição confirmada".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph("A partir de agora você recebe nossos lançamentos e ofertas por e-mail."),
            Block::Button { label: "Visitar a loja".to_owned(), url: format!("{base_url}/") },
            Block::Link { text: "Não quer mais receber? Cancelar inscrição".to_owned(), url },
        ],
    }
}

fn webhook_disabled(base_url: &str, to: &Mailbox, host: &str, reason: DisabledReason) -> Page {
    Page {
        subject: format!("Webhook desativado: {host}"),
        preview: "Nada mais é enviado a ele até que você o reative.".to_owned(),
        heading: "Um webhook foi desativado".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(format!("O webhook para {host} foi desativado: {}.", reason.text())),
            paragraph(
                "Quando o destino estiver funcionando, reative o webhook e recupere o que ele \
                 perdeu. Eventos ficam guardados por 30 dias.",
            ),
            Block::Button {
                label: "Ver webhooks".to_owned(),
                url: format!("{base_url}/admin/webhooks"),
            },
        ],
    }
}

fn contact(name: &str, email: &Email, subject: &str, message: &str) -> Page {
    Page {
        subject: format!("[Contato] {subject}"),
        preview: format!("{name} escreveu pelo site."),
        heading: "Nova mensagem de contato".to_owned(),
        blocks: vec![
            Block::Box { label: "De".to_owned(), lines: vec![name.to_owned(), email.to_string()] },
            Block::Quote { label: subject.to_owned(), text: message.to_owned() },
            Block::Small("Responda a este e-mail para falar com quem escreveu.".to_owned()),
        ],
    }
}

fn item(item: &OrderItem) -> Item {
    Item {
        name: item.product_name_snapshot.clone(),
        detail: item.variant_snapshot.clone(),
        quantity: item.quantity,
        total: reais(item.total),
    }
}

fn totals(order: &Order) -> Vec<(String, String)> {
    let mut totals = vec![("Subtotal".to_owned(), reais(order.subtotal))];
    if order.discount > Money::ZERO {
        totals.push(("Desconto".to_owned(), format!("− {}", reais(order.discount))));
    }
    let label = match &order.shipping_service {
        Some(service) => format!("Frete ({service})"),
        None => "Frete".to_owned(),
    };
    let free = order.shipping == Money::ZERO;
    totals.push((label, if free { "Grátis".to_owned() } else { reais(order.shipping) }));
    totals.push(("Total".to_owned(), reais(order.total)));
    totals
}

fn address(order: &Order) -> Block {
    let to = &order.address;
    let complement = to.complement.as_ref().map(|text| format!(", {text}")).unwrap_or_default();
    let (start, end) = to.zip_code.as_str().split_at(5);
    Block::Box {
        label: "Endereço de entrega".to_owned(),
        lines: vec![
            format!("{}, {}{complement}", to.street, to.number),
            format!("{}, {} - {}", to.district, to.city, to.state),
            format!("CEP {start}-{end}"),
        ],
    }
}

fn see_order(base_url: &str, order: &Order) -> Block {
    let url = format!("{base_url}/pedidos/{}", order.id);
    Block::Button { label: "Ver meu pedido".to_owned(), url }
}

/// An amount as Brazilians write it: `R$ 1.234,56`.
fn reais(amount: Money) -> String {
    let cents = amount.cents().unsigned_abs();
    let digits = (cents / 100).to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push('.');
        }
        grouped.push(digit);
    }
    let sign = if amount < Money::ZERO { "-" } else { "" };
    format!("{sign}R$\u{a0}{grouped},{:02}", cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_in_brazil() {
        for (cents, text) in [
            (0, "R$ 0,00"),
            (1990, "R$ 19,90"),
            (123_456, "R$ 1.234,56"),
            (9_999_999_999, "R$ 99.999.999,99"),
            (-100_000, "-R$ 1.000,00"),
        ] {
            assert_eq!(reais(Money::from_cents(cents)).replace('\u{a0}', " "), text);
        }
    }

    #[test]
    fn a_letter_comes_back_from_the_outbox_and_debug_shows_no_token() {
        let token = ResetToken::from("very-secret");
        let letter = Letter::PasswordReset { token };
        assert!(!format!("{letter:?}").contains("very-secret"));
        let kept = serde_json::to_string(&letter).expect("JSON");
        assert_eq!(kept, r#"{"password-reset":{"token":"very-secret"}}"#);
        let back: Letter = serde_json::from_str(&kept).expect("a letter");
        assert_eq!((back.kind(), back.is_secret()), (letter.kind(), true));
        let welcome: Letter = serde_json::from_str(r#"{"welcome":{}}"#).expect("a letter");
        assert!(!welcome.is_secret());
    }
}
