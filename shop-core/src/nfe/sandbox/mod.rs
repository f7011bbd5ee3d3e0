//! The tax office inside the shop, so that invoices can be issued, shown and tested without any
//! company or certificate. What it knows is in the shop's own database, but behind the same port as
//! the real one. Its invoices count for nothing (homologação).

mod correction;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::issuer::{IssuerError, KnownCorrection, NUMBER_TAKEN, NfeIssuer, Outcome, Registered};
use super::key::AccessKey;
use super::responsible::Csrt;
use super::rules::{self, Reception, Violation};
use super::xml::first;
use crate::clock::{Clock, Timestamp};
use crate::config::certificate::Certificate;
use crate::error::{Error, Result};
use crate::lane;
use crate::storage::{Db, Tx, params};

/// The certificate that signs in the sandbox where no other is set, and its private key. Both are
/// public, made for this program (`O=TESTE - SEM VALIDADE`): what they sign proves nothing, and no
/// tax office accepts them.
const CERTIFICATE: &str = include_str!("certificate.pem");
const KEY: &str = include_str!("key.pem");

/// Until when an invoice can be cancelled (rejection 501).
const CANCEL_WITHIN: Duration = Duration::from_secs(24 * 60 * 60);

/// The certificate of the sandbox.
///
/// # Errors
/// [`Error::Internal`]: never, the two files belong together.
pub(crate) fn certificate() -> Result<Certificate> {
    Certificate::from_pem(KEY, CERTIFICATE).map_err(Error::from_source)
}

/// The sandbox as an office: what the shop sees of it.
pub(crate) struct SandboxIssuer {
    db: Db,
    clock: Arc<dyn Clock>,
    /// The code that it gave the company that answers for the program.
    csrt: Option<Csrt>,
}

impl SandboxIssuer {
    pub(crate) fn new(db: Db, clock: Arc<dyn Clock>, csrt: Option<Csrt>) -> Self {
        Self { db, clock, csrt }
    }

    /// Runs a job; a failing database is an office that does not answer.
    async fn run<T: Send + 'static>(
        &self,
        name: &'static str,
        job: impl FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
    ) -> Result<T, IssuerError> {
        let done = self.db.write(lane::INTEGRATIONS, name, job).await;
        done.map_err(|error| IssuerError::NoAnswer(error.to_string()))
    }
}

impl NfeIssuer for SandboxIssuer {
    fn name(&self) -> &'static str {
        "sandbox"
    }

    fn authorize<'a>(
        &'a self,
        nfe: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Outcome, IssuerError>> {
        let (key, now) = (key.clone(), self.clock.now());
        let digest = first(nfe, "DigestValue").unwrap_or_default();
        let reception = Reception { at: now, csrt: self.csrt.clone() };
        let broken = rules::violations(nfe, &reception).into_iter().next();
        let job = move |tx: &mut dyn Tx| authorize(tx, &key, &digest, broken.as_ref(), now);
        Box::pin(self.run("sandbox.nfe_authorize", job))
    }

    fn status_of<'a>(&'a self, key: &'a AccessKey) -> BoxFuture<'a, Result<Outcome, IssuerError>> {
        let key = key.clone();
        Box::pin(self.run("sandbox.nfe_status", move |tx| {
            Ok(match find(tx, &key)? {
                None => Outcome::Unknown,
                Some(Known { protocol, event: None, .. }) => Outcome::Authorized { protocol },
                Some(Known { protocol, event, .. }) => {
                    Outcome::Cancelled { protocol: Some(protocol), event }
                }
            })
        }))
    }

    fn cancel<'a>(
        &'a self,
        event: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        let (key, now) = (key.clone(), self.clock.now());
        let protocol = first(event, "nProt").unwrap_or_default();
        Box::pin(self.run("sandbox.nfe_cancel", move |tx| cancel(tx, &key, &protocol, now)))
    }

    fn correct<'a>(
        &'a self,
        event: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        let (key, event, now) = (key.clone(), event.to_owned(), self.clock.now());
        let job = move |tx: &mut dyn Tx| correction::register(tx, &key, &event, now);
        Box::pin(self.run("sandbox.nfe_correct", job))
    }

    fn correction_of<'a>(
        &'a self,
        key: &'a AccessKey,
        sequence: u8,
    ) -> BoxFuture<'a, Result<Option<KnownCorrection>, IssuerError>> {
        let key = key.clone();
        let job = move |tx: &mut dyn Tx| correction::known(tx, &key, sequence);
        Box::pin(self.run("sandbox.nfe_correction", job))
    }

    fn disable_numbers<'a>(
        &'a self,
        request: &'a str,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        let (request, now) = (request.to_owned(), self.clock.now());
        Box::pin(self.run("sandbox.nfe_disable", move |tx| disable(tx, &request, now)))
    }
}

/// An invoice that the sandbox authorised.
struct Known {
    protocol: String,
    event: Option<String>,
    created_at: Timestamp,
}

/// Authorises a document, unless it is known already or breaks a rule.
fn authorize(
    tx: &mut dyn Tx,
    key: &AccessKey,
    digest: &str,
    broken: Option<&Violation>,
    now: Timestamp,
) -> Result<Outcome> {
    if find(tx, key)?.is_some() {
        return Ok(Outcome::Duplicate { text: "Rejeicao: Duplicidade de NF-e".to_owned() });
    }
    if let Some(Violation { code, text, .. }) = broken {
        return Ok(Outcome::Rejected { code: *code, text: text.clone() });
    }
    let number = number_key(key.cnpj(), &key.as_str()[22..25], &key.as_str()[25..34]);
    let Some(id) = insert(tx, &number, Some(key), now)? else {
        let text = "Rejeicao: Duplicidade de NF-e, com diferenca na Chave de Acesso".to_owned();
        return Ok(Outcome::Rejected { code: NUMBER_TAKEN, text });
    };
    let (at, state) = (now.local_seconds(), key.state_code());
    let protocol = format!(
        "<protNFe versao=\"4.00\"><infProt><tpAmb>2</tpAmb><verAplic>SANDBOX</verAplic>\
         <chNFe>{key}</chNFe><dhRecbto>{at}</dhRecbto><nProt>{}</nProt><digVal>{digest}</digVal>\
         <cStat>100</cStat><xMotivo>Autorizado o uso da NF-e</xMotivo></infProt></protNFe>",
        protocol_number(state, &at, id)
    );
    tx.execute(
        "UPDATE sandbox_nfe SET digest = $1, protocol = $2 WHERE id = $3",
        params![digest, &protocol, id],
    )?;
    Ok(Outcome::Authorized { protocol })
}

fn cancel(tx: &mut dyn Tx, key: &AccessKey, protocol: &str, now: Timestamp) -> Result<Registered> {
    let rejected = |code, text: &str| Ok(Registered::Rejected { code, text: text.to_owned() });
    let Some(known) = find(tx, key)? else {
        return rejected(494, "Rejeicao: Chave de Acesso inexistente");
    };
    if known.event.is_some() {
        return Ok(Registered::Already { text: "Rejeicao: Duplicidade de evento".to_owned() });
    }
    if first(&known.protocol, "nProt").as_deref() != Some(protocol) {
        return rejected(222, "Rejeicao: Protocolo de Autorizacao de Uso difere do cadastrado");
    }
    if now > known.created_at.plus(CANCEL_WITHIN) {
        return rejected(501, "Rejeicao: Prazo de Cancelamento superior ao previsto na Legislacao");
    }
    let (at, state) = (now.local_seconds(), key.state_code());
    let id: i64 = tx.value("SELECT coalesce(max(id), 0) FROM sandbox_nfe", &[])?;
    let answer = format!(
        "<retEvento versao=\"1.00\"><infEvento><tpAmb>2</tpAmb><verAplic>SANDBOX</verAplic>\
         <cOrgao>{state}</cOrgao><cStat>135</cStat><xMotivo>Evento registrado e vinculado a NF-e\
         </xMotivo><chNFe>{key}</chNFe><tpEvento>110111</tpEvento><xEvento>Cancelamento registrado\
         </xEvento><nSeqEvento>1</nSeqEvento><dhRegEvento>{at}</dhRegEvento><nProt>{}</nProt>\
         </infEvento></retEvento>",
        protocol_number(state, &at, 5_000_000_000 + id)
    );
    tx.execute(
        "UPDATE sandbox_nfe SET event = $1 WHERE access_key = $2",
        params![&answer, key.as_str()],
    )?;
    Ok(Registered::Accepted { answer })
}

fn disable(tx: &mut dyn Tx, request: &str, now: Timestamp) -> Result<Registered> {
    let part = |tag: &str| first(request, tag).unwrap_or_default();
    let (state, cnpj, series) = (part("cUF"), part("CNPJ"), part("serie"));
    let number = |tag| part(tag).parse::<u32>().unwrap_or_default();
    let (from, to) = (number("nNFIni"), number("nNFFin"));
    let key = |number| number_key(&cnpj, &format!("{series:0>3}"), &format!("{number:09}"));
    let mut disabled = false;
    for number in from..=to {
        match has_document(tx, &key(number))? {
            Some(true) => {
                let text = "Rejeicao: Um numero da faixa ja foi utilizado".to_owned();
                return Ok(Registered::Rejected { code: 241, text });
            }
            Some(false) => disabled = true,
            None => {}
        }
    }
    if disabled {
        let text = "Rejeicao: Ja existe pedido de Inutilizacao com a mesma faixa de inutilizacao";
        return Ok(Registered::Already { text: text.to_owned() });
    }
    for number in from..=to {
        insert(tx, &key(number), None, now)?;
    }
    let (at, year) = (now.local_seconds(), part("ano"));
    let id: i64 = tx.value("SELECT coalesce(max(id), 0) FROM sandbox_nfe", &[])?;
    let answer = format!(
        "<retInutNFe versao=\"4.00\"><infInut><tpAmb>2</tpAmb><verAplic>SANDBOX</verAplic>\
         <cStat>102</cStat><xMotivo>Inutilizacao de numero homologado</xMotivo><cUF>{state}</cUF>\
         <ano>{year}</ano><CNPJ>{cnpj}</CNPJ><mod>55</mod><serie>{series}</serie>\
         <nNFIni>{from}</nNFIni><nNFFin>{to}</nNFFin><dhRecbto>{at}</dhRecbto><nProt>{}</nProt>\
         </infInut></retInutNFe>",
        protocol_number(&state, &at, id)
    );
    Ok(Registered::Accepted { answer })
}

/// A protocol's number: 15 digits, of which the last ten count.
fn protocol_number(state: &str, at: &str, count: i64) -> String {
    format!("1{state}{}{count:010}", &at[2..4])
}

/// The scope of a number: the company and the series.
fn number_key(cnpj: &str, series: &str, number: &str) -> String {
    format!("{cnpj}-{series}-{number}")
}

fn find(tx: &mut dyn Tx, key: &AccessKey) -> Result<Option<Known>> {
    tx.one(
        "SELECT protocol, event, created_at FROM sandbox_nfe WHERE access_key = $1",
        params![key.as_str()],
        |row| Ok(Known { protocol: row.get(0)?, event: row.get(1)?, created_at: row.get(2)? }),
    )
}

/// Whether a number that is taken has a document, or was made invalid; none where it is free.
fn has_document(tx: &mut dyn Tx, number: &str) -> Result<Option<bool>> {
    tx.find("SELECT access_key IS NOT NULL FROM sandbox_nfe WHERE number_key = $1", params![number])
}

/// Takes a number; none when it is taken.
fn insert(
    tx: &mut dyn Tx,
    number: &str,
    key: Option<&AccessKey>,
    now: Timestamp,
) -> Result<Option<i64>> {
    tx.one(
        "INSERT INTO sandbox_nfe (number_key, access_key, created_at) VALUES ($1, $2, $3)
         ON CONFLICT (number_key) DO NOTHING RETURNING id",
        params![number, key.map(AccessKey::as_str), now],
        |row| row.get(0),
    )
}
