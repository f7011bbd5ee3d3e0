//! Rules about totals (`total`): each is the sum of what the items say.

use super::{Note, Rule, rule, sum_rule};
use rust_decimal::Decimal;

pub(super) const RULES: &[Rule] = &[
    sum_rule(
        564,
        "Total do Produto / Serviço difere do somatório dos itens",
        "MOC 7.0, Anexo I, W07-10",
        "total/ICMSTot/vProd",
        "prod/vProd",
    ),
    sum_rule(
        535,
        "Total do Frete difere do somatório dos itens",
        "MOC 7.0, Anexo I, W08-10",
        "total/ICMSTot/vFrete",
        "prod/vFrete",
    ),
    sum_rule(
        536,
        "Total do Seguro difere do somatório dos itens",
        "MOC 7.0, Anexo I, W09-10",
        "total/ICMSTot/vSeg",
        "prod/vSeg",
    ),
    sum_rule(
        537,
        "Total do Desconto difere do somatório dos itens",
        "MOC 7.0, Anexo I, W10-10",
        "total/ICMSTot/vDesc",
        "prod/vDesc",
    ),
    sum_rule(
        604,
        "Total do vOutro difere do somatório dos itens",
        "MOC 7.0, Anexo I, W15-10",
        "total/ICMSTot/vOutro",
        "prod/vOutro",
    ),
    rule(
        610,
        "Total da NF difere do somatório dos Valores compõe o valor Total da NF",
        "MOC 7.0, Anexo I, W16-10",
        |note, _| total(note) != note.root.amount("total/ICMSTot/vNF"),
    ),
];

/// What an invoice comes to by its totals.
fn total(note: &Note<'_>) -> Decimal {
    let of = |names: &[&str]| -> Decimal {
        names.iter().map(|name| note.root.amount(&format!("total/ICMSTot/{name}"))).sum()
    };
    of(&["vProd", "vST", "vFCPST", "vFrete", "vSeg", "vOutro", "vII", "vIPI", "vIPIDevol"])
        - of(&["vDesc", "vICMSDeson"])
}
