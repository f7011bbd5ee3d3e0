//! Rules about the taxes of the reform, IBS and CBS (`imposto/IBSCBS`, `total/IBSCBSTot`). Nobody
//! must show them yet under Simples Nacional and as a micro-entrepreneur; who does is held to all
//! of these.

use rust_decimal::Decimal;

use super::{Item, Note, Part, Rule, item_rule, rule, sum_rule};
use crate::fiscal::demand;

/// The situations that there are.
const SITUATIONS: &str = "000 010 011 200 220 221 222 400 410 510 515 550 620 800 810 811 820 830";
/// The classes of goods and services that are taxed as a whole (000).
const WHOLE: &str = "000001 000002 000003 000004 000005";

pub(super) const RULES: &[Rule] = &[
    item_rule(1020, "CST do IBS/CBS informado inexistente", "NT 2025.002, UB13-10", |_, item| {
        item.reform.is_some_and(|it| !is_among(SITUATIONS, it.text("CST")))
    }),
    item_rule(1021, "Grupo IBS/CBS informado indevidamente", "NT 2025.002, UB13-20", |_, item| {
        item.reform.is_some_and(|it| {
            // Immune, and not taxed.
            matches!(it.text("CST"), "400" | "410") && it.has("gIBSCBS")
        })
    }),
    item_rule(1022, "Grupo IBS/CBS não informado", "NT 2025.002, UB13-30", |_, item| {
        item.reform.is_some_and(|it| matches!(it.text("CST"), "000" | "200") && !it.has("gIBSCBS"))
    }),
    item_rule(
        1023,
        "Classificação Tributária do IBS/CBS informada inexistente",
        "NT 2025.002, UB14-10",
        // The table of the other classes changes too often to be kept here.
        |_, item| class_of_whole(item).is_some_and(|class| !is_among(WHOLE, class)),
    ),
    item_rule(
        1024,
        "Classificação Tributária do IBS e da CBS incompatível com o CST informado",
        "NT 2025.002, UB14-20",
        |_, item| item.reform.is_some_and(|it| !it.text("cClassTrib").starts_with(it.text("CST"))),
    ),
    item_rule(
        1025,
        "cClassTrib do IBS/CBS não permitido neste modelo de DFe",
        "NT 2025.002, UB14-25",
        // The use of roads.
        |_, item| class_of_whole(item) == Some("000002"),
    ),
    item_rule(1026, "Alíquota do IBS da UF inválida", "NT 2025.002, UB18-10", |note, item| {
        let expected = demand::ibs_rates(note.day).map(|(state, _)| state);
        is_other_rate(note, item, "gIBSUF/pIBSUF", expected)
    }),
    item_rule(
        1036,
        "Alíquota do IBS do Município inválida",
        "NT 2025.002, UB37-10",
        |note, item| {
            let expected = demand::ibs_rates(note.day).map(|(_, city)| city);
            is_other_rate(note, item, "gIBSMun/pIBSMun", expected)
        },
    ),
    item_rule(
        1037,
        "Alíquota da CBS inválida",
        "NT 2025.002, UB56-10 e UB56-20",
        |note, item| {
            // From 2027 on the rate is not known here; that of 2026 is wrong then.
            let rate = |it: Part<'_>| it.amount("gCBS/pCBS");
            let of_2026 = Decimal::new(90, 2);
            match demand::cbs_rate(note.day) {
                Some(expected) => is_other_rate(note, item, "gCBS/pCBS", Some(expected)),
                None => !note.is_return() && amounts(item).is_some_and(|it| rate(it) == of_2026),
            }
        },
    ),
    item_rule(1041, "Valor do IBS da UF difere do calculado", "NT 2025.002, UB35-10", |_, item| {
        is_other_amount(item, "gIBSUF", "pIBSUF", "vIBSUF")
    }),
    item_rule(
        1052,
        "Valor do IBS Municipal difere do calculado",
        "NT 2025.002, UB54-10",
        |_, item| is_other_amount(item, "gIBSMun", "pIBSMun", "vIBSMun"),
    ),
    item_rule(1069, "Valor da CBS difere do calculado", "NT 2025.002, UB67-10", |_, item| {
        is_other_amount(item, "gCBS", "pCBS", "vCBS")
    }),
    rule(1118, "Total de IBS e CBS informado indevidamente", "NT 2025.002, W34-10", |note, _| {
        note.root.has(TOTAL) && !is_shown(note)
    }),
    rule(1119, "Total de IBS e CBS não informado", "NT 2025.002, W34-20", |note, _| {
        !note.root.has(TOTAL) && is_shown(note)
    }),
    sum_rule(
        1076,
        "Total da BC do IBS e da CBS difere da soma dos itens",
        "NT 2025.002, W35-10",
        "total/IBSCBSTot/vBCIBSCBS",
        "imposto/IBSCBS/gIBSCBS/vBC",
    ),
    sum_rule(
        1077,
        "Total de Diferimento do IBS UF difere da soma dos itens",
        "NT 2025.002, W38-10",
        "total/IBSCBSTot/gIBS/gIBSUF/vDif",
        "imposto/IBSCBS/gIBSCBS/gIBSUF/gDif/vDif",
    ),
    sum_rule(
        1078,
        "Total Devolvido do IBS UF difere da soma dos itens",
        "NT 2025.002, W39-10",
        "total/IBSCBSTot/gIBS/gIBSUF/vDevTrib",
        "imposto/IBSCBS/gIBSCBS/gIBSUF/gDevTrib/vDevTrib",
    ),
    sum_rule(
        1080,
        "Total de IBS UF difere da soma dos itens",
        "NT 2025.002, W41-10",
        "total/IBSCBSTot/gIBS/gIBSUF/vIBSUF",
        "imposto/IBSCBS/gIBSCBS/gIBSUF/vIBSUF",
    ),
    sum_rule(
        1081,
        "Total de Diferimento do IBS Municipal difere da soma dos itens",
        "NT 2025.002, W43-10",
        "total/IBSCBSTot/gIBS/gIBSMun/vDif",
        "imposto/IBSCBS/gIBSCBS/gIBSMun/gDif/vDif",
    ),
    sum_rule(
        1082,
        "Total Devolvido do IBS Municipal difere da soma dos itens",
        "NT 2025.002, W44-10",
        "total/IBSCBSTot/gIBS/gIBSMun/vDevTrib",
        "imposto/IBSCBS/gIBSCBS/gIBSMun/gDevTrib/vDevTrib",
    ),
    sum_rule(
        1084,
        "Total de IBS Municipal difere da soma dos itens",
        "NT 2025.002, W46-10",
        "total/IBSCBSTot/gIBS/gIBSMun/vIBSMun",
        "imposto/IBSCBS/gIBSCBS/gIBSMun/vIBSMun",
    ),
    sum_rule(
        1085,
        "Total do IBS difere da soma do vIBS dos itens",
        "NT 2025.002, W47-10",
        "total/IBSCBSTot/gIBS/vIBS",
        "imposto/IBSCBS/gIBSCBS/vIBS",
    ),
    sum_rule(
        1088,
        "Total de Diferimento da CBS difere da soma dos itens",
        "NT 2025.002, W53-10",
        "total/IBSCBSTot/gCBS/vDif",
        "imposto/IBSCBS/gIBSCBS/gCBS/gDif/vDif",
    ),
    sum_rule(
        1089,
        "Total Devolvido da CBS difere da soma dos itens",
        "NT 2025.002, W54-10",
        "total/IBSCBSTot/gCBS/vDevTrib",
        "imposto/IBSCBS/gIBSCBS/gCBS/gDevTrib/vDevTrib",
    ),
    sum_rule(
        1091,
        "Total de CBS difere da soma dos itens",
        "NT 2025.002, W56-10",
        "total/IBSCBSTot/gCBS/vCBS",
        "imposto/IBSCBS/gIBSCBS/gCBS/vCBS",
    ),
];

/// The totals of these taxes.
const TOTAL: &str = "total/IBSCBSTot";

fn is_shown(note: &Note<'_>) -> bool {
    note.items.iter().any(|item| item.reform.is_some())
}

fn is_among(codes: &str, code: &str) -> bool {
    codes.split(' ').any(|it| it == code)
}

/// The class of an item that is taxed as a whole.
fn class_of_whole<'x>(item: &Item<'x>) -> Option<&'x str> {
    let reform = item.reform.filter(|it| it.text("CST") == "000");
    reform.map(|it| it.text("cClassTrib"))
}

/// What an item says of base, rates and amounts.
fn amounts<'x>(item: &Item<'x>) -> Option<Part<'x>> {
    item.reform.and_then(|it| it.find("gIBSCBS"))
}

/// Whether an item has another rate than the day of issue. Returns have that of the sale.
fn is_other_rate(note: &Note<'_>, item: &Item<'_>, path: &str, expected: Option<Decimal>) -> bool {
    let rate = amounts(item).map(|it| it.amount(path));
    !note.is_return() && rate.zip(expected).is_some_and(|(rate, expected)| rate != expected)
}

/// Whether an amount is not the base times the rate that counts, less what is put off and given
/// back; the office takes a difference of one cent.
fn is_other_amount(item: &Item<'_>, group: &str, rate: &str, amount: &str) -> bool {
    let Some((all, part)) = amounts(item).and_then(|it| Some((it, it.find(group)?))) else {
        return false;
    };
    let reduced = part.find("gRed/pAliqEfet").map(Part::value);
    let rate = reduced.unwrap_or_else(|| part.amount(rate));
    let less = part.amount("gDif/vDif") + part.amount("gDevTrib/vDevTrib");
    let due = all.amount("vBC") * rate / Decimal::ONE_HUNDRED - less;
    (due - part.amount(amount)).abs() > Decimal::new(1, 2)
}
