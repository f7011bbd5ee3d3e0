//! What is said of an invoice afterwards: its cancellation, and numbers that no invoice has.

use super::document::DECLARATION;
use super::key::AccessKey;
use super::signature::{self, NFE_NS};
use super::text::fit;
use super::xml::Xml;
use crate::clock::Timestamp;
use crate::config::certificate::Certificate;
use crate::error::{Error, Result};
use crate::fiscal::{Company, TaxEnvironment};
use crate::value::InvalidValue;

/// The cancellation of an authorised invoice (event 110111).
#[derive(Debug, Clone)]
pub struct Cancellation<'a> {
    /// The invoice.
    pub key: &'a AccessKey,
    /// Whether it counts.
    pub environment: TaxEnvironment,
    /// The number of its authorisation's protocol.
    pub protocol: &'a str,
    /// Why, in 15 to 255 characters.
    pub reason: &'a str,
    /// When it is signed.
    pub at: Timestamp,
}

impl Cancellation<'_> {
    /// The signed `evento` element, without an XML declaration.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a reason too short; [`Error::Internal`] when the certificate does not
    /// sign.
    pub fn sign(&self, certificate: &Certificate) -> Result<String> {
        let reason = check_reason(self.reason)?;
        let id = format!("ID110111{}01", self.key);
        let mut xml = Xml::default();
        xml.with_attributes("infEvento", &format!("infEvento Id=\"{id}\""), |xml| {
            xml.text("cOrgao", self.key.state_code())
                .text("tpAmb", self.environment.code())
                .text("CNPJ", self.key.cnpj())
                .text("chNFe", self.key)
                .text("dhEvento", self.at.local_seconds())
                .text("tpEvento", 110_111)
                .text("nSeqEvento", 1)
                .text("verEvento", "1.00")
                .with_attributes("detEvento", "detEvento versao=\"1.00\"", |xml| {
                    xml.text("descEvento", "Cancelamento")
                        .text("nProt", self.protocol)
                        .text("xJust", reason);
                });
        });
        signed("evento", "1.00", &id, &xml.into_text(), certificate)
    }
}

/// Numbers that no invoice has and none shall have ('inutilização').
#[derive(Debug, Clone)]
pub struct UnusedNumbers<'a> {
    /// Whose they are.
    pub company: &'a Company,
    /// Whether they count.
    pub environment: TaxEnvironment,
    /// The series.
    pub series: u16,
    /// The first of them.
    pub first: u32,
    /// The last of them.
    pub last: u32,
    /// Why, in 15 to 255 characters.
    pub reason: &'a str,
    /// When it is signed.
    pub at: Timestamp,
}

impl UnusedNumbers<'_> {
    /// The signed `inutNFe` element, without an XML declaration.
    ///
    /// # Errors
    /// As [`Cancellation::sign`].
    pub fn sign(&self, certificate: &Certificate) -> Result<String> {
        let reason = check_reason(self.reason)?;
        let Self { company, series, first, last, .. } = self;
        let (state, cnpj) = (company.address.state_code(), &company.cnpj);
        let year = &self.at.local_seconds()[2..4];
        let id = format!("ID{state}{year}{cnpj}55{series:03}{first:09}{last:09}");
        let mut xml = Xml::default();
        xml.with_attributes("infInut", &format!("infInut Id=\"{id}\""), |xml| {
            xml.text("tpAmb", self.environment.code())
                .text("xServ", "INUTILIZAR")
                .text("cUF", state)
                .text("ano", year)
                .text("CNPJ", cnpj)
                .text("mod", 55)
                .text("serie", series)
                .text("nNFIni", first)
                .text("nNFFin", last)
                .text("xJust", reason);
        });
        signed("inutNFe", "4.00", &id, &xml.into_text(), certificate)
    }
}

/// The reason as the layout takes it.
pub(crate) fn check_reason(reason: &str) -> Result<String> {
    let reason = fit(reason, 255);
    if reason.chars().count() < 15 {
        return Err(Error::field("justificativa", InvalidValue::MinCharacters { least: 15 }));
    }
    Ok(reason)
}

pub(super) fn signed(
    tag: &str,
    version: &str,
    id: &str,
    content: &str,
    certificate: &Certificate,
) -> Result<String> {
    let signature = signature::sign(content, id, certificate).map_err(Error::from_source)?;
    Ok(format!("<{tag} xmlns=\"{NFE_NS}\" versao=\"{version}\">{content}{}</{tag}>", signature.xml))
}

/// An invoice with the protocol of its authorisation: what is kept, and handed to others.
pub fn nfe_proc(nfe: &str, protocol: &str) -> String {
    format!("{DECLARATION}<nfeProc xmlns=\"{NFE_NS}\" versao=\"4.00\">{nfe}{protocol}</nfeProc>")
}

/// A cancellation with the office's registration of it.
pub(crate) fn event_proc(event: &str, answer: &str) -> String {
    format!(
        "{DECLARATION}<procEventoNFe xmlns=\"{NFE_NS}\" versao=\"1.00\">{event}{answer}\
         </procEventoNFe>"
    )
}

/// The request that made numbers invalid, with its answer.
pub(crate) fn unused_proc(request: &str, answer: &str) -> String {
    format!(
        "{DECLARATION}<ProcInutNFe xmlns=\"{NFE_NS}\" versao=\"4.00\">{request}{answer}\
         </ProcInutNFe>"
    )
}
