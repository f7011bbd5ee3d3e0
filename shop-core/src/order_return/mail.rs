//! Mails about a return. That its money went back is told by the refund's own mail
//! ([`crate::order::OrderMail::MoneyRefunded`]).

use serde::{Deserialize, Serialize};

use super::{OrderReturn, ReturnItem, ReturnKind, ReturnStatus};
use crate::config::Secret;
use crate::context::Context;
use crate::id::OrderId;
use crate::mail::{
    Block, Item, MailTemplate, Mailbox, Page, RenderedMail, button, greeting, paragraph, small,
};
use crate::order;

/// What mails about a return tell.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names of the values say what they are")]
pub enum ReturnMail {
    /// The confirmation of a return, as it was asked for; `goods_left` where the order had been
    /// sent.
    ReturnRequested { of: Box<OrderReturn>, goods_left: bool },
    /// Staff said yes.
    ReturnApproved { of: Box<OrderReturn> },
    /// How the customer posts the goods, or, without a code, that they are on their way back;
    /// `corrected` where another code or carrier was told before.
    ReturnInTransit {
        of: Box<OrderReturn>,
        #[serde(default)]
        corrected: bool,
    },
    /// The goods arrived.
    ReturnReceived { of: Box<OrderReturn> },
    /// Staff said no.
    ReturnRejected { of: Box<OrderReturn> },
    /// It was called off.
    ReturnCancelled { of: Box<OrderReturn> },
    /// It was closed without money.
    ReturnClosed { of: Box<OrderReturn> },
}

impl ReturnMail {
    fn of(&self) -> &OrderReturn {
        let (Self::ReturnRequested { of, .. }
        | Self::ReturnApproved { of }
        | Self::ReturnInTransit { of, .. }
        | Self::ReturnReceived { of }
        | Self::ReturnRejected { of }
        | Self::ReturnCancelled { of }
        | Self::ReturnClosed { of }) = self;
        of
    }
}

impl MailTemplate for ReturnMail {
    fn kind(&self) -> &'static str {
        match self {
            Self::ReturnRequested { .. } => "return-requested",
            Self::ReturnApproved { .. } => "return-approved",
            Self::ReturnInTransit { .. } => "return-in-transit",
            Self::ReturnReceived { .. } => "return-received",
            Self::ReturnRejected { .. } => "return-rejected",
            Self::ReturnCancelled { .. } => "return-cancelled",
            Self::ReturnClosed { .. } => "return-closed",
        }
    }

    fn order(&self) -> Option<&OrderId> {
        Some(&self.of().order_id)
    }

    fn render(&self, cx: &Context, to: &Mailbox, _: Option<&Secret>) -> RenderedMail {
        let page = match self {
            Self::ReturnRequested { of, goods_left } => requested(cx, to, of, *goods_left),
            Self::ReturnApproved { of } => approved(cx, to, of),
            Self::ReturnInTransit { of, corrected } => match &of.tracking_code {
                Some(code) => to_post(cx, to, of, code, *corrected),
                None => in_transit(cx, to, of),
            },
            Self::ReturnReceived { of } => received(cx, to, of),
            Self::ReturnRejected { of } => rejected(cx, to, of),
            Self::ReturnCancelled { of } => cancelled(cx, to, of),
            Self::ReturnClosed { of } => closed(cx, to, of),
        };
        page.into()
    }
}

/// The proof of what was asked for, and when: number, date and time, content.
fn requested(cx: &Context, to: &Mailbox, of: &OrderReturn, goods_left: bool) -> Page {
    let (protocol, when) = (&of.protocol, of.created_at.local_words());
    let what = match of.kind {
        ReturnKind::Withdrawal => "sua desistência da compra",
        ReturnKind::Defect => "seu pedido de devolução por defeito",
    };
    let received = format!("Recebemos {what}, do pedido {}, em {when}.", of.order_number);
    let mut blocks = vec![
        greeting(to),
        paragraph(received),
        Block::Box {
            label: "Protocolo".to_owned(),
            lines: vec![protocol.clone(), format!("Registrado em {when} (horário de Brasília)")],
        },
        items(of),
    ];
    if let Some(text) = of.reason.clone() {
        blocks.push(Block::Quote { label: "O que você escreveu".to_owned(), text });
    }
    blocks.push(paragraph(next(of, goods_left).to_owned()));
    blocks.extend([see_order(cx, to, of), questions()]);
    Page {
        subject: format!("Devolução {protocol} registrada"),
        preview: format!("Protocolo {protocol}, registrado em {when}."),
        heading: "Sua devolução foi registrada".to_owned(),
        blocks,
    }
}

/// What happens after a return was asked for.
fn next(of: &OrderReturn, goods_left: bool) -> &'static str {
    match (of.status, goods_left) {
        (ReturnStatus::Requested, _) => {
            "Vamos analisar o seu pedido e avisar você da resposta por e-mail."
        }
        (_, true) if !of.is_posted_free() => {
            "A devolução já está aprovada. Enviaremos as instruções para a postagem; guarde os \
             produtos e, se puder, a embalagem."
        }
        (_, true) => {
            "A devolução já está aprovada. Enviaremos as instruções para a postagem, sem custo para \
             você; guarde os produtos e, se puder, a embalagem."
        }
        (_, false) => {
            "O pedido ainda não foi enviado, então você não precisa devolver nada. Cuidaremos da \
             devolução do valor e avisaremos você por e-mail."
        }
    }
}

fn approved(cx: &Context, to: &Mailbox, of: &OrderReturn) -> Page {
    let protocol = &of.protocol;
    Page {
        subject: format!("Devolução {protocol} aprovada"),
        preview: "Veja os próximos passos.".to_owned(),
        heading: "Sua devolução foi aprovada".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(format!(
                "A devolução {protocol}, do pedido {}, foi aprovada. Enviaremos as instruções para a \
                 postagem{}.",
                of.order_number,
                if of.is_posted_free() { ", sem custo para você" } else { "" }
            )),
            items(of),
            see_order(cx, to, of),
            questions(),
        ],
    }
}

/// Where and by which code the customer hands the goods in.
fn to_post(cx: &Context, to: &Mailbox, of: &OrderReturn, code: &str, corrected: bool) -> Page {
    let protocol = &of.protocol;
    let mut blocks = vec![greeting(to)];
    if corrected {
        blocks.push(paragraph(format!(
            "Os dados para a postagem da devolução {protocol} mudaram. Use os deste e-mail no lugar \
             dos anteriores."
        )));
    }
    let free = if of.is_posted_free() { " A postagem não tem custo para você." } else { "" };
    blocks.push(paragraph(format!("Para a devolução {protocol}, {}.{free}", post_at(of, code))));
    let lines = std::iter::once(code.to_owned()).chain(of.carrier.clone()).collect();
    blocks.push(Block::Box { label: "Código de postagem".to_owned(), lines });
    let after = "Se você já postou os produtos, é só aguardar: avisaremos quando chegarem.";
    blocks.extend([paragraph(after.to_owned()), items(of), see_order(cx, to, of), questions()]);
    let (subject, heading) = if corrected {
        (format!("Devolução {protocol}: novos dados para a postagem"), "A postagem mudou")
    } else {
        (format!("Devolução {protocol}: poste os produtos"), "Agora é só postar os produtos")
    };
    Page {
        subject,
        preview: format!("Código de postagem: {code}"),
        heading: heading.to_owned(),
        blocks,
    }
}

/// What the customer does with a posting code: the middle of a sentence.
pub(super) fn post_at(of: &OrderReturn, code: &str) -> String {
    let whose = match of.carrier.as_deref() {
        Some(carrier) if carrier.to_lowercase().starts_with("correios") => format!("dos {carrier}"),
        Some(carrier) => format!("da {carrier}"),
        None => "da transportadora".to_owned(),
    };
    format!("leve os produtos a uma agência {whose} com o código {code}")
}

fn in_transit(cx: &Context, to: &Mailbox, of: &OrderReturn) -> Page {
    let protocol = &of.protocol;
    let blocks = vec![
        greeting(to),
        paragraph(format!(
            "Os produtos da devolução {protocol} estão a caminho da loja. Avisaremos você quando \
             chegarem."
        )),
        items(of),
        see_order(cx, to, of),
    ];
    Page {
        subject: format!("Devolução {protocol} a caminho"),
        preview: "Avisaremos quando chegar.".to_owned(),
        heading: "Sua devolução está a caminho".to_owned(),
        blocks,
    }
}

fn received(cx: &Context, to: &Mailbox, of: &OrderReturn) -> Page {
    let protocol = &of.protocol;
    let then = if of.has_refund() {
        ""
    } else {
        " Agora vamos cuidar da devolução do valor e avisar você por e-mail."
    };
    let missing = of.items.iter().any(|item| item.units() < item.quantity);
    let mut blocks = vec![
        greeting(to),
        paragraph(format!("Os produtos da devolução {protocol} chegaram à loja.{then}")),
        items(of),
    ];
    if missing {
        blocks.push(paragraph(
            "A lista acima mostra o que chegou, que é menos do que você tinha pedido para devolver."
                .to_owned(),
        ));
    }
    blocks.extend([see_order(cx, to, of), questions()]);
    Page {
        subject: format!("Devolução {protocol} recebida"),
        preview: "Os produtos chegaram à loja.".to_owned(),
        heading: "Recebemos a sua devolução".to_owned(),
        blocks,
    }
}

fn rejected(cx: &Context, to: &Mailbox, of: &OrderReturn) -> Page {
    let protocol = &of.protocol;
    let mut blocks = vec![
        greeting(to),
        paragraph(format!(
            "Analisamos a devolução {protocol}, do pedido {}, e não pudemos aceitá-la.",
            of.order_number
        )),
    ];
    if let Some(text) = of.rejection_reason.clone() {
        blocks.push(Block::Quote { label: "Motivo".to_owned(), text });
    }
    blocks.extend([items(of), see_order(cx, to, of), questions()]);
    Page {
        subject: format!("Devolução {protocol}: não foi possível aceitar"),
        preview: "Veja o motivo.".to_owned(),
        heading: "Sobre a sua devolução".to_owned(),
        blocks,
    }
}

fn cancelled(cx: &Context, to: &Mailbox, of: &OrderReturn) -> Page {
    let protocol = &of.protocol;
    Page {
        subject: format!("Devolução {protocol} cancelada"),
        preview: "A devolução não vai mais acontecer.".to_owned(),
        heading: "Devolução cancelada".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(format!(
                "A devolução {protocol}, do pedido {}, foi cancelada. Enquanto o prazo não terminar, \
                 você pode pedir outra.",
                of.order_number
            )),
            items(of),
            see_order(cx, to, of),
            questions(),
        ],
    }
}

fn closed(cx: &Context, to: &Mailbox, of: &OrderReturn) -> Page {
    let protocol = &of.protocol;
    Page {
        subject: format!("Devolução {protocol} concluída"),
        preview: "Não há valor a devolver por ela.".to_owned(),
        heading: "Devolução concluída".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(format!(
                "A devolução {protocol}, do pedido {}, foi concluída. Nenhum valor é devolvido por \
                 ela.",
                of.order_number
            )),
            items(of),
            see_order(cx, to, of),
            questions(),
        ],
    }
}

fn items(of: &OrderReturn) -> Block {
    Block::Items(of.items.iter().map(item).collect())
}

fn item(item: &ReturnItem) -> Item {
    Item {
        name: item.product_name.clone(),
        detail: item.variant.clone(),
        quantity: item.units(),
        total: item.amount.in_reais(),
    }
}

fn see_order(cx: &Context, to: &Mailbox, of: &OrderReturn) -> Block {
    button("Ver meu pedido", order::link_url(cx, to, &of.order_id, &of.order_number))
}

fn questions() -> Block {
    small("Ficou com alguma dúvida? Responda a este e-mail.")
}
