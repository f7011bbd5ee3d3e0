//! Rules about what the issuer's regime takes: situations of goods (CSOSN) and codes of operation.

use super::{Item, Note, Rule, item_rule};
use crate::fiscal::{Csosn, Digits, TaxRegime};

pub(super) const RULES: &[Rule] = &[
    item_rule(
        966,
        "Obrigatório o preenchimento da origem da mercadoria",
        "NT 2024.001, N11-10",
        |note, item| {
            let is_said = item.icms.is_some_and(|part| part.has("orig"));
            !item.csosn.is_empty() && !is_said && !note.is_mei()
        },
    ),
    item_rule(
        600,
        "CSOSN incompatível na operação com Não Contribuinte",
        "NT 2024.001, N12a-70",
        is_no_consumers,
    ),
    item_rule(
        782,
        "CSOSN inválido para emitente MEI (CRT=4)",
        "NT 2024.001, N12a-80",
        |note, item| {
            let is_taken = item.csosn.parse().is_ok_and(|it| TaxRegime::Mei.takes_csosn(it));
            note.is_mei() && !item.csosn.is_empty() && !is_taken
        },
    ),
    item_rule(
        337,
        "CFOP inválido para emitente MEI (CRT=4)",
        "NT 2024.001, N12a-90",
        |note, item| {
            let code = item.csosn.parse::<Csosn>().ok().zip(item.cfop.parse::<Digits<4>>().ok());
            let is_taken = code.is_none_or(|(csosn, cfop)| TaxRegime::Mei.takes_cfop(csosn, &cfop));
            note.is_mei() && !is_taken
        },
    ),
    item_rule(
        806,
        "Operação com ICMS-ST sem informação do CEST",
        "MOC 7.0, Anexo I, N23-10",
        |_, item| {
            let is_retained = match item.csosn {
                "201" | "202" | "203" | "500" => true,
                "900" => item.icms.is_some_and(|part| part.has("vICMSST")),
                _ => false,
            };
            is_retained && !item.part.has("prod/CEST")
        },
    ),
];

/// Goods whose situation a sale to somebody without a registration may not have.
fn is_no_consumers(note: &Note<'_>, item: &Item<'_>) -> bool {
    let is_for_repair = matches!(item.cfop, "5915" | "5916" | "6915" | "6916" | "5912" | "5913");
    let is_sent_by_mei = note.is_mei()
        && item.csosn == "900"
        && matches!(item.cfop, "5904" | "6904" | "5551" | "6551");
    let is_taken = matches!(item.csosn, "" | "102" | "103" | "300" | "400" | "500");
    let is_to_nobody_registered = note.is_sale() && note.recipient_kind() == "9";
    is_to_nobody_registered && !is_taken && !is_for_repair && !is_sent_by_mei
}
