//! Correction letters, as the sandbox registers them.

use super::{Known, find, protocol_number};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::nfe::correction::MOST;
use crate::nfe::issuer::{KnownCorrection, Registered};
use crate::nfe::key::AccessKey;
use crate::nfe::xml::first;
use crate::storage::{Tx, params};

fn refused(code: u16, text: &str) -> Registered {
    Registered::Rejected { code, text: text.to_owned() }
}

/// Registers a correction letter.
pub(super) fn register(
    tx: &mut dyn Tx,
    key: &AccessKey,
    event: &str,
    now: Timestamp,
) -> Result<Registered> {
    let sequence = first(event, "nSeqEvento").and_then(|text| text.parse::<u8>().ok());
    let sequence = sequence.unwrap_or_default();
    match find(tx, key)? {
        None => return Ok(refused(494, "Rejeicao: Chave de Acesso inexistente")),
        Some(Known { event: Some(_), .. }) => {
            return Ok(refused(580, "Rejeicao: O evento exige uma NF-e autorizada"));
        }
        Some(_) => {}
    }
    if !(1..=MOST).contains(&sequence) {
        let text = "Rejeicao: O numero de sequencia do evento informado e maior que o permitido";
        return Ok(refused(594, text));
    }
    if known(tx, key, sequence)?.is_some() {
        return Ok(Registered::Already { text: "Rejeicao: Duplicidade de evento".to_owned() });
    }
    let (at, state) = (now.local_seconds(), key.state_code());
    let count: i64 = tx.value("SELECT count(*) FROM sandbox_nfe_correction", &[])?;
    let answer = format!(
        "<retEvento versao=\"1.00\"><infEvento><tpAmb>2</tpAmb><verAplic>SANDBOX</verAplic>\
         <cOrgao>{state}</cOrgao><cStat>135</cStat><xMotivo>Evento registrado e vinculado a NF-e\
         </xMotivo><chNFe>{key}</chNFe><tpEvento>110110</tpEvento><xEvento>Carta de Correcao\
         </xEvento><nSeqEvento>{sequence}</nSeqEvento><dhRegEvento>{at}</dhRegEvento><nProt>{}\
         </nProt></infEvento></retEvento>",
        protocol_number(state, &at, 6_000_000_001 + count)
    );
    let text = first(event, "xCorrecao").unwrap_or_default();
    tx.run(
        "INSERT INTO sandbox_nfe_correction (access_key, sequence, text, answer, created_at)
         VALUES ($1, $2, $3, $4, $5)",
        params![key.as_str(), i64::from(sequence), &text, &answer, now],
    )?;
    Ok(Registered::Accepted { answer })
}

/// The registered correction letter of this number, if there is one.
pub(super) fn known(
    tx: &mut dyn Tx,
    key: &AccessKey,
    sequence: u8,
) -> Result<Option<KnownCorrection>> {
    let found = tx.find::<(String, String)>(
        "SELECT text, answer FROM sandbox_nfe_correction WHERE access_key = $1 AND sequence = $2",
        params![key.as_str(), i64::from(sequence)],
    )?;
    Ok(found.map(|(text, answer)| KnownCorrection { text, answer }))
}
