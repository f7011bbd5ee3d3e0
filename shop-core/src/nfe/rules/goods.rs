//! Rules about goods and their codes (`det/prod`).

use super::{Item, Note, Part, Rule, item_rule, rule};
use crate::fiscal::Gtin;

/// What stands where goods have no bar code.
const NO_GTIN: &str = "SEM GTIN";

pub(super) const RULES: &[Rule] = &[
    rule(927, "Número do item fora da ordem sequencial", "NT 2019.001, H02-10", |note, _| {
        (1_u32..).zip(&note.items).any(|(place, item)| item.number != place.to_string())
    }),
    item_rule(611, "GTIN (cEAN) inválido", "MOC 7.0, Anexo I, I03-10", |_, item| {
        is_wrong_gtin(item.part, "prod/cEAN")
    }),
    item_rule(
        612,
        "GTIN da unidade tributável (cEANTrib) inválido",
        "MOC 7.0, Anexo I, I12-10",
        |_, item| is_wrong_gtin(item.part, "prod/cEANTrib"),
    ),
    item_rule(
        885,
        "GTIN informado, mas não informado o GTIN da unidade tributável",
        "MOC 7.0, Anexo I, I12-30",
        |_, item| has_gtin(item, "prod/cEAN") && !has_gtin(item, "prod/cEANTrib"),
    ),
    item_rule(
        886,
        "GTIN da unidade tributável informado, mas não informado o GTIN",
        "MOC 7.0, Anexo I, I12-40",
        |_, item| !has_gtin(item, "prod/cEAN") && has_gtin(item, "prod/cEANTrib"),
    ),
    item_rule(
        777,
        "Obrigatória a informação do NCM completo",
        "MOC 7.0, Anexo I, I05-10",
        |_, item| !is_whole(item.part.text("prod/NCM")),
    ),
    item_rule(778, "Informado NCM inexistente", "MOC 7.0, Anexo I, I05-20", |note, item| {
        let ncm = item.part.text("prod/NCM");
        is_whole(ncm) && !is_in_a_chapter(ncm) && !is_left_out(note, ncm)
    }),
    item_rule(
        732,
        "CFOP de operação interestadual e idDest <> 2",
        "MOC 7.0, Anexo I, I08-40",
        |note, item| item.cfop.starts_with(['2', '6']) && note.header.text("idDest") != "2",
    ),
    item_rule(
        733,
        "CFOP de operação interna e idDest <> 1",
        "MOC 7.0, Anexo I, I08-50",
        |note, item| item.cfop.starts_with(['1', '5']) && note.header.text("idDest") != "1",
    ),
    item_rule(
        629,
        "Valor do Produto difere do produto Valor Unitário de Comercialização e Quantidade \
         Comercial",
        "MOC 7.0, Anexo I, I11-10",
        |_, item| {
            let amount = |path| item.part.amount(path);
            let product = amount("prod/vUnCom") * amount("prod/qCom");
            // The office takes a difference of one cent.
            (product - amount("prod/vProd")).abs() > rust_decimal::Decimal::new(1, 2)
        },
    ),
    item_rule(
        483,
        "Valor do desconto maior que valor do produto",
        "MOC 7.0, Anexo I, I17-10",
        |_, item| item.part.amount("prod/vDesc") > item.part.amount("prod/vProd"),
    ),
    item_rule(1002, "NF-e sem informação de ICMS / ISSQN", "NT 2025.002, B25-90", |_, item| {
        !item.part.has("imposto/ICMS") && !item.part.has("imposto/ISSQN")
    }),
    item_rule(745, "NF-e sem grupo do PIS", "MOC 7.0, Anexo I, Q01-20", |_, item| {
        !item.part.has("imposto/PIS")
    }),
    item_rule(748, "NF-e sem grupo do COFINS", "MOC 7.0, Anexo I, S01-20", |_, item| {
        !item.part.has("imposto/COFINS")
    }),
];

fn has_gtin(item: &Item<'_>, path: &str) -> bool {
    !matches!(item.part.text(path), "" | NO_GTIN)
}

fn is_wrong_gtin(item: Part<'_>, path: &str) -> bool {
    let gtin = item.text(path);
    !matches!(gtin, "" | NO_GTIN) && gtin.parse::<Gtin>().is_err()
}

fn is_whole(ncm: &str) -> bool {
    ncm.len() == 8 && ncm.bytes().all(|byte| byte.is_ascii_digit())
}

/// The nomenclature has the chapters 1 to 97, of which 77 is kept free. Which codes a chapter has
/// changes each year, so that is left to the tax office.
fn is_in_a_chapter(ncm: &str) -> bool {
    matches!(ncm[..2].parse::<u8>(), Ok(1..=76 | 78..=97))
}

/// In the state, a micro-entrepreneur need not classify goods (NT 2024.001, I05-10).
fn is_left_out(note: &Note<'_>, ncm: &str) -> bool {
    note.is_mei() && note.header.text("idDest") == "1" && ncm == "00000000"
}
