//! What the tax office's codes mean for an invoice.

use super::super::issuer::{IssuerError, KnownCorrection, Outcome, Registered};
use super::super::key::AccessKey;
use super::super::protocol::{AUTHORIZED, CANCELLED, is_passing};
use super::soap::{Answer, Element};

/// The answer to a batch of one invoice, or to a question about its receipt.
pub(super) fn authorization(
    answer: &Answer,
    name: &str,
    key: &AccessKey,
) -> Result<Outcome, IssuerError> {
    answer.read(name, |answer| {
        let (code, text) = answer.result()?;
        match code {
            104 => {
                let protocol = answer.find("protNFe");
                decision(protocol.ok_or_else(|| missing("protNFe"))?, key)
            }
            103 | 105 => Ok(Outcome::Processing { receipt: None }),
            code => Ok(Outcome::Rejected { code, text }),
        }
    })
}

/// What is decided about the invoice itself.
fn decision(protocol: Element<'_>, key: &AccessKey) -> Result<Outcome, IssuerError> {
    let about = protocol.find("infProt").ok_or_else(|| missing("infProt"))?;
    let (code, text) = about.result()?;
    let protocol = || checked(protocol, "infProt/chNFe", key);
    Ok(match code {
        code if AUTHORIZED.contains(&code) => Outcome::Authorized { protocol: protocol()? },
        // It is there already: authorised, denied long ago, or cancelled since.
        204 | 205 | 218 => Outcome::Duplicate { text },
        // Among them 302, 303, 307 and 781, which no longer use the number up.
        code => Outcome::Rejected { code, text },
    })
}

/// The answer to a question about a key.
pub(super) fn situation(answer: &Answer, key: &AccessKey) -> Result<Outcome, IssuerError> {
    answer.read("retConsSitNFe", |answer| {
        let (code, text) = answer.result()?;
        let protocol =
            || answer.find("protNFe").map(|it| checked(it, "infProt/chNFe", key)).transpose();
        Ok(match code {
            code if AUTHORIZED.contains(&code) => {
                Outcome::Authorized { protocol: protocol()?.ok_or_else(|| missing("protNFe"))? }
            }
            code if CANCELLED.contains(&code) => {
                let event = cancellation(answer).map(|it| checked(it, "infEvento/chNFe", key));
                Outcome::Cancelled { protocol: protocol()?, event: event.transpose()? }
            }
            // Denied before September 2024, when denials ended (Ajuste SINIEF 43/23).
            110 | 205 | 301..=303 => Outcome::Denied { code, text, protocol: protocol()? },
            103 | 105 => Outcome::Processing { receipt: None },
            // Not there, or the number is there with another key.
            217 | 562 | 613 => Outcome::Unknown,
            // It does not answer now.
            code if is_passing(code) => Outcome::Rejected { code, text },
            // The question was refused, which says nothing about the invoice.
            code => return Err(IssuerError::NoAnswer(format!("{code} - {text}"))),
        })
    })
}

/// The office's registration of an invoice's cancellation.
fn cancellation(answer: Element<'_>) -> Option<Element<'_>> {
    let mut events = answer.all("procEventoNFe").filter_map(|event| event.find("retEvento"));
    events.find(|event| event.value("infEvento/tpEvento") == "110111")
}

/// The correction letter of a number, in the answer to a question about a key.
pub(super) fn correction(
    answer: &Answer,
    key: &AccessKey,
    sequence: u8,
) -> Result<Option<KnownCorrection>, IssuerError> {
    answer.read("retConsSitNFe", |answer| {
        let (code, text) = answer.result()?;
        if !AUTHORIZED.contains(&code) && !CANCELLED.contains(&code) {
            return Err(IssuerError::NoAnswer(format!("{code} - {text}")));
        }
        let number = sequence.to_string();
        let is_it = |event: &Element<'_>| {
            event.value("evento/infEvento/tpEvento") == "110110"
                && event.value("evento/infEvento/nSeqEvento").trim_start_matches('0') == number
        };
        let Some(found) = answer.all("procEventoNFe").find(is_it) else { return Ok(None) };
        let registered = found.find("retEvento").ok_or_else(|| missing("retEvento"))?;
        let text = found.value("evento/infEvento/detEvento/xCorrecao").to_owned();
        let answer = checked(registered, "infEvento/chNFe", key)?;
        Ok(Some(KnownCorrection { text, answer }))
    })
}

/// The answer to a batch of one event.
pub(super) fn event(answer: &Answer, key: &AccessKey) -> Result<Registered, IssuerError> {
    answer.read("retEnvEvento", |answer| {
        let Some(event) = answer.find("retEvento") else {
            let (code, text) = answer.result()?;
            return Ok(Registered::Rejected { code, text });
        };
        let about = event.find("infEvento").ok_or_else(|| missing("infEvento"))?;
        let (code, text) = about.result()?;
        Ok(match code {
            135 | 136 | 155 => {
                Registered::Accepted { answer: checked(event, "infEvento/chNFe", key)? }
            }
            218 | 420 | 573 => Registered::Already { text },
            code => Registered::Rejected { code, text },
        })
    })
}

/// The answer to numbers that shall be invalid.
pub(super) fn disabled(answer: &Answer) -> Result<Registered, IssuerError> {
    answer.read("retInutNFe", |answer| {
        let about = answer.find("infInut").ok_or_else(|| missing("infInut"))?;
        let (code, text) = about.result()?;
        Ok(match code {
            102 => Registered::Accepted { answer: answer.source()? },
            206 | 256 | 563 => Registered::Already { text },
            code => Registered::Rejected { code, text },
        })
    })
}

/// The element as it came, if it is about this invoice.
fn checked(element: Element<'_>, path: &str, key: &AccessKey) -> Result<String, IssuerError> {
    if element.value(path) == key.as_str() {
        element.source()
    } else {
        Err(IssuerError::Garbage("an answer about another invoice".to_owned()))
    }
}

fn missing(name: &str) -> IssuerError {
    IssuerError::Garbage(format!("no {name}"))
}
