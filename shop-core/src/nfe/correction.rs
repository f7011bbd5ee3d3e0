//! A correction letter for an authorised invoice (carta de correção, event 110110).

use super::event::signed;
use super::key::AccessKey;
use super::text::fit;
use super::xml::Xml;
use crate::clock::Timestamp;
use crate::config::certificate::Certificate;
use crate::error::{Error, Result};
use crate::fiscal::TaxEnvironment;
use crate::value::InvalidValue;

/// The latest number of an invoice's correction letters.
pub(crate) const MOST: u8 = 20;

/// What every correction letter says of its use, as the layout wants it.
pub(crate) const CONDITIONS: &str = "A Carta de Correcao e disciplinada pelo paragrafo 1o-A do \
    art. 7o do Convenio S/N, de 15 de dezembro de 1970 e pode ser utilizada para regularizacao de \
    erro ocorrido na emissao de documento fiscal, desde que o erro nao esteja relacionado com: I - \
    as variaveis que determinam o valor do imposto tais como: base de calculo, aliquota, diferenca \
    de preco, quantidade, valor da operacao ou da prestacao; II - a correcao de dados cadastrais \
    que implique mudanca do remetente ou do destinatario; III - a data de emissao ou de saida.";

/// A correction letter for an authorised invoice. The last one of an invoice replaces all before.
#[derive(Debug, Clone)]
pub struct CorrectionLetter<'a> {
    /// The invoice.
    pub key: &'a AccessKey,
    /// Whether it counts.
    pub environment: TaxEnvironment,
    /// Its number among the invoice's correction letters, 1 to 20.
    pub sequence: u8,
    /// What is right, in 15 to 1000 characters, with all that earlier letters said and that holds.
    pub text: &'a str,
    /// When it is signed.
    pub at: Timestamp,
}

impl CorrectionLetter<'_> {
    /// The signed `evento` element, without an XML declaration.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a text too short or a number out of range; [`Error::Internal`] when
    /// the certificate does not sign.
    pub fn sign(&self, certificate: &Certificate) -> Result<String> {
        let text = check_text(self.text)?;
        let Self { key, sequence, .. } = self;
        if !(1..=MOST).contains(sequence) {
            let what = InvalidValue::Between { least: 1, most: i64::from(MOST) };
            return Err(Error::field("sequence", what));
        }
        let id = format!("ID110110{key}{sequence:02}");
        let mut xml = Xml::default();
        xml.with_attributes("infEvento", &format!("infEvento Id=\"{id}\""), |xml| {
            xml.text("cOrgao", key.state_code())
                .text("tpAmb", self.environment.code())
                .text("CNPJ", key.cnpj())
                .text("chNFe", key)
                .text("dhEvento", self.at.local_seconds())
                .text("tpEvento", 110_110)
                .text("nSeqEvento", sequence)
                .text("verEvento", "1.00")
                .with_attributes("detEvento", "detEvento versao=\"1.00\"", |xml| {
                    xml.text("descEvento", "Carta de Correcao")
                        .text("xCorrecao", text)
                        .text("xCondUso", CONDITIONS);
                });
        });
        signed("evento", "1.00", &id, &xml.into_text(), certificate)
    }
}

/// The text as the layout takes it.
pub(crate) fn check_text(text: &str) -> Result<String> {
    let text = fit(text, 1000);
    if text.chars().count() < 15 {
        return Err(Error::field("text", InvalidValue::MinCharacters { least: 15 }));
    }
    Ok(text)
}
