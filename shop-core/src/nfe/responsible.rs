//! The company that answers for the program that issues ('responsável técnico'), and the hash by
//! which a state knows that the company really does (CSRT).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};

use super::key::AccessKey;
use super::text::fit;
use super::xml::Xml;
use crate::config::{ResponsibleConfig, Secret};
use crate::value::{Cnpj, digits};

/// The company that answers for the program that issues: its maker, or the shop itself. Six states
/// refuse invoices that do not name one (rejection 972), the others take it.
#[derive(Debug, Clone)]
pub struct Responsible {
    /// The company.
    pub cnpj: Cnpj,
    /// Whom to ask for, 2 to 60 characters.
    pub contact: String,
    /// Where to write to, 6 to 60 characters.
    pub email: String,
    /// Where to call, 6 to 14 digits.
    pub phone: String,
    /// The code that a state gave the company; Paraná demands it (rejection 975).
    pub csrt: Option<Csrt>,
}

/// A code that a state gave the responsible company ('código de segurança do responsável técnico').
#[derive(Debug, Clone)]
pub struct Csrt {
    /// Which of the company's codes it is, two digits.
    pub id: String,
    /// The code. It is never sent.
    pub code: Secret,
}

impl Responsible {
    /// The company that the settings name, if they name one.
    pub fn of(config: &ResponsibleConfig) -> Option<Self> {
        let ResponsibleConfig { cnpj, contact, email, phone, csrt_id, csrt } = config.clone();
        let csrt = csrt_id.zip(csrt).map(|(id, code)| Csrt { id, code });
        Some(Self {
            cnpj: cnpj?,
            contact: contact?,
            email: email?.to_string(),
            phone: phone?,
            csrt,
        })
    }

    /// The element `infRespTec`.
    pub(super) fn write(&self, xml: &mut Xml, key: &AccessKey) {
        xml.element("infRespTec", |xml| {
            xml.text("CNPJ", &self.cnpj)
                .text("xContato", fit(&self.contact, 60))
                .text("email", fit(&self.email, 60))
                .text("fone", digits(&self.phone));
            if let Some(csrt) = &self.csrt {
                xml.text("idCSRT", &csrt.id).text("hashCSRT", csrt.hash(key));
            }
        });
    }
}

impl Csrt {
    /// What an invoice says of the code: Base64 of the 20 bytes that SHA-1 makes of the code with
    /// the invoice's key behind it (NT 2018.005).
    pub fn hash(&self, key: &AccessKey) -> String {
        let mut hash = Sha1::new();
        hash.update(self.code.reveal());
        hash.update(key.as_str());
        STANDARD.encode(hash.finalize())
    }
}
