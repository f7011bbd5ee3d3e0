//! Rules about who issues (`emit`) and who receives (`dest`).

use super::{Note, Rule, rule};
use crate::value::{Cnpj, Cpf};

/// States whose tax offices take no recipient that is exempt of a registration.
const WITHOUT_EXEMPT: &str = "AL AM BA CE DF ES GO MG MS MT PB PE RJ RN RS SE SP";

pub(super) const RULES: &[Rule] = &[
    rule(207, "CNPJ do emitente inválido", "MOC 7.0, Anexo I, C02-10", |note, _| {
        note.issuer.text("CNPJ").parse::<Cnpj>().is_err()
    }),
    rule(209, "IE do emitente inválida", "MOC 7.0, Anexo I, C17-20", |note, _| {
        !is_registration(note.issuer.text("IE"))
    }),
    rule(
        719,
        "NF-e sem a identificação do destinatário",
        "MOC 7.0, Anexo I, E01-10",
        |note, _| {
            let is_known = |name| note.recipient.is_some_and(|part| part.has(name));
            !["CNPJ", "CPF", "idEstrangeiro"].into_iter().any(is_known)
        },
    ),
    rule(208, "CNPJ do destinatário inválido", "MOC 7.0, Anexo I, E02-10", |note, _| {
        recipient_text(note, "CNPJ").is_some_and(|it| it.parse::<Cnpj>().is_err())
    }),
    rule(237, "CPF do destinatário inválido", "MOC 7.0, Anexo I, E03-10", |note, _| {
        recipient_text(note, "CPF").is_some_and(|it| it.parse::<Cpf>().is_err())
    }),
    rule(
        772,
        "Operação Interestadual e UF de destino igual à UF de origem",
        "MOC 7.0, Anexo I, E12-30",
        |note, _| {
            let state = recipient_text(note, "enderDest/UF");
            let is_elsewhere = note.root.has("entrega") || note.root.has("retirada");
            note.header.text("idDest") == "2" && state == Some(note.issuer_state) && !is_elsewhere
        },
    ),
    rule(
        805,
        "A SEFAZ do destinatário não permite Contribuinte Isento de Inscrição Estadual",
        "NT 2025.001 v1.03, E16a-30",
        |note, _| {
            let state = recipient_text(note, "enderDest/UF").unwrap_or_default();
            note.recipient_kind() == "2" && WITHOUT_EXEMPT.split(' ').any(|it| it == state)
        },
    ),
    rule(
        696,
        "Operação com não contribuinte deve indicar operação com consumidor final",
        "MOC 7.0, Anexo I, E16a-40",
        |note, _| {
            let is_sale_here = note.is_sale() && note.header.text("idDest") != "3";
            is_sale_here && note.recipient_kind() == "9" && note.header.text("indFinal") != "1"
        },
    ),
    rule(
        728,
        "NF-e sem informação da IE do destinatário",
        "MOC 7.0, Anexo I, E17-20",
        |note, _| note.recipient_kind() == "1" && recipient_text(note, "IE").is_none(),
    ),
    rule(210, "IE do destinatário inválida", "MOC 7.0, Anexo I, E17-50", |note, _| {
        recipient_text(note, "IE").is_some_and(|it| !is_registration(it))
    }),
    rule(
        791,
        "NF-e com indicação de destinatário isento de IE, com a informação da IE do destinatário",
        "MOC 7.0, Anexo I, E17-30",
        |note, _| note.recipient_kind() == "2" && recipient_text(note, "IE").is_some(),
    ),
];

/// What a document says of its recipient; nothing where it does not say it.
fn recipient_text<'x>(note: &Note<'x>, path: &str) -> Option<&'x str> {
    let recipient = note.recipient?;
    recipient.has(path).then(|| recipient.text(path))
}

/// Whether a text has the form of a registration with a state. Each state has check digits of its
/// own, which are not looked at.
fn is_registration(text: &str) -> bool {
    (2..=14).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}
