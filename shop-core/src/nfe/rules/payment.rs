//! Rules about how the invoice was paid (`pag`).

use rust_decimal::Decimal;

use super::{Note, Rule, rule};

/// Means of payment that take the group of cards and other electronic payments.
const ELECTRONIC: &str = "03 04 10 11 12 13 15 17 18";

pub(super) const RULES: &[Rule] = &[
    rule(
        871,
        "O campo Meio de Pagamento deve ser preenchido com a opção Sem Pagamento",
        "MOC 7.0, Anexo I, YA02-04",
        |note, _| {
            let is_unpaid = note.payments.iter().all(|paid| paid.text("tPag") == "90");
            matches!(note.header.text("finNFe"), "3" | "4") && !is_unpaid
        },
    ),
    rule(
        866,
        "Ausência de troco quando o valor dos pagamentos informados for maior que o total da nota",
        "MOC 7.0, Anexo I, YA03-20",
        |note, _| too_much(note) > Decimal::ZERO && !note.root.has("pag/vTroco"),
    ),
    rule(869, "Valor do troco incorreto", "MOC 7.0, Anexo I, YA09-10", |note, _| {
        let change = note.root.find("pag/vTroco");
        change.is_some_and(|change| change.value() != too_much(note))
    }),
    rule(
        904,
        "Informado indevidamente campo valor de pagamento",
        "MOC 7.0, Anexo I, YA03-30",
        |note, _| {
            let mut unpaid = note.payments.iter().filter(|paid| paid.text("tPag") == "90");
            unpaid.any(|paid| paid.amount("vPag") != Decimal::ZERO)
        },
    ),
    rule(
        963,
        "Tipo de pagamento não aceita o grupo de cartões ou boletos",
        "NT 2023.004, YA04-20",
        |note, _| {
            let takes_card = |code: &str| ELECTRONIC.split(' ').any(|it| it == code);
            note.payments.iter().any(|paid| paid.has("card") && !takes_card(paid.text("tPag")))
        },
    ),
    rule(
        392,
        "Não informados os dados da operação de pagamento por cartão de crédito / débito",
        "MOC 7.0, Anexo I, YA05-10",
        |note, _| {
            let mut cards = note.payments.iter().filter_map(|paid| paid.find("card"));
            cards.any(|it| it.text("tpIntegra") == "1" && !(it.has("CNPJ") && it.has("cAut")))
        },
    ),
];

/// How much more was paid than the invoice comes to.
fn too_much(note: &Note<'_>) -> Decimal {
    let paid: Decimal = note.payments.iter().map(|paid| paid.amount("vPag")).sum();
    paid - note.root.amount("total/ICMSTot/vNF")
}
