//! Rules about notes by which goods come back, and about what items refer to (`DFeReferenciado`).

use std::collections::BTreeSet;

use super::{Note, Rule, item_rule, rule};

/// The codes of operation of returns, behind their first digit: of goods that were sold (1, 2) and
/// of goods that were bought (5, 6).
const SOLD: &str = "201 202 203 204 208 209 212 213 214 215 216 410 411 503 504 505 506 553 660 \
                    661 662 918 919";
const BOUGHT: &str = "201 202 208 209 210 213 214 215 216 410 411 412 413 503 553 555 556 660 661 \
                      662 918 919 921";

pub(super) const RULES: &[Rule] = &[
    item_rule(
        327,
        "CFOP inválido para Nota Fiscal com finalidade de devolução de mercadoria",
        "NT 2026.009, I08-140",
        |note, item| {
            let is_other = matches!(item.cfop, "1949" | "2949");
            note.is_return() && !is_return_code(item.cfop) && !is_other
        },
    ),
    item_rule(
        1179,
        "CFOP inválido para Nota Fiscal de devolução ou de retorno de mercadoria emitida por MEI",
        "NT 2025.002, I08-141",
        |note, item| {
            let is_taken = matches!(item.cfop, "1202" | "1553" | "2202" | "2553" | "5202" | "6202");
            note.is_return() && note.is_mei() && !is_taken
        },
    ),
    item_rule(
        328,
        "CFOP de devolução de mercadoria para NF-e que não tem finalidade de devolução de \
         mercadoria",
        "MOC 7.0, Anexo I, I08-144",
        |note, item| {
            let purpose = note.header.text("finNFe");
            purpose != "2" && !note.is_return() && is_return_code(item.cfop)
        },
    ),
    item_rule(
        321,
        "NF-e de devolução de mercadoria não possui documento fiscal referenciado",
        "NT 2025.002, VC02-14",
        |note, item| note.header.text("finNFe") == "4" && item.references.is_empty(),
    ),
    item_rule(
        1010,
        "NF-e com referenciamento de documento a nível de nota e a nível de item",
        "NT 2025.002, VC02-05",
        |note, item| note.header.has("NFref") && !item.references.is_empty(),
    ),
    item_rule(
        1048,
        "nItem do DFeReferenciado não informado",
        "NT 2025.002, VC03-20",
        |note, item| {
            let is_without = item.references.iter().any(|(_, number)| number.is_empty());
            note.header.text("finNFe") == "4" && is_without
        },
    ),
    rule(1072, "DFe/Item referenciado em duplicidade", "NT 2025.002, VC02-20", |note, _| {
        let mut seen = BTreeSet::new();
        references(note).any(|reference| !seen.insert(reference))
    }),
    rule(
        1193,
        "Emitente das NFe Referenciadas deve ser o mesmo em todos os itens",
        "NT 2025.002, VC02-40",
        |note, _| {
            let issuers: BTreeSet<_> = references(note).map(|(key, _)| key.get(6..20)).collect();
            issuers.len() > 1
        },
    ),
];

fn references<'x>(note: &Note<'x>) -> impl Iterator<Item = (&'x str, &'x str)> {
    note.items.iter().flat_map(|item| item.references.iter().copied())
}

fn is_return_code(cfop: &str) -> bool {
    let (Some(first), Some(rest)) = (cfop.get(..1), cfop.get(1..)) else { return false };
    let codes = match first {
        "1" | "2" => SOLD,
        "5" | "6" => BOUGHT,
        _ => return false,
    };
    codes.split(' ').any(|code| code == rest)
}
