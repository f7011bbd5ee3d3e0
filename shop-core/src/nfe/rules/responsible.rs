//! Rules about the company that answers for the program (`infRespTec`). Whether it is the one that
//! the issuer named to the state (974), and whether its code was revoked (977), only the state
//! knows.

use super::{Note, Reception, Rule, rule};
use crate::fiscal::demand;
use crate::nfe::key::AccessKey;
use crate::value::Cnpj;

pub(super) const RULES: &[Rule] = &[
    rule(
        972,
        "Obrigatória as informações do responsável técnico",
        "NT 2018.005 v1.52, ZD01-10",
        |note, _| demand::RESPONSIBLE.contains(&note.issuer_state) && !note.root.has("infRespTec"),
    ),
    rule(
        973,
        "CNPJ do responsável técnico inválido",
        "NT 2018.005 v1.52, ZD02-10",
        |note, _| {
            let named = note.root.find("infRespTec/CNPJ");
            named.is_some() && note.root.text("infRespTec/CNPJ").parse::<Cnpj>().is_err()
        },
    ),
    rule(
        975,
        "Obrigatória a informação do identificador do CSRT e do Hash do CSRT",
        "NT 2018.005 v1.52, ZD07-10",
        |note, _| {
            let said = ["infRespTec/idCSRT", "infRespTec/hashCSRT"].map(|it| note.root.has(it));
            let is_named = note.root.has("infRespTec");
            is_named && demand::CSRT.contains(&note.issuer_state) && said != [true, true]
        },
    ),
    rule(
        976,
        "Identificador do CSRT não cadastrado na SEFAZ",
        "NT 2018.005 v1.52, 7ZD08-10",
        |note, reception| {
            said_and_known(note, reception).is_some_and(|(said, known)| said != known)
        },
    ),
    rule(
        978,
        "Hash do CSRT diverge do calculado",
        "NT 2018.005 v1.52, 7ZD09-10",
        |note, reception| {
            let known = reception.csrt.as_ref().zip(note.key.parse::<AccessKey>().ok());
            let said = note.root.text("infRespTec/hashCSRT");
            !said.is_empty() && known.is_some_and(|(csrt, key)| csrt.hash(&key) != said)
        },
    ),
];

/// The code that a document says it has used, and the one that the office gave.
fn said_and_known<'x>(note: &Note<'x>, reception: &'x Reception) -> Option<(&'x str, &'x str)> {
    let said = note.root.text("infRespTec/idCSRT");
    let known = reception.csrt.as_ref()?;
    (!said.is_empty()).then_some((said, known.id.as_str()))
}
