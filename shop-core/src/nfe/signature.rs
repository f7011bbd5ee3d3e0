//! The enveloped signature (XML-DSig, RSA-SHA1) of invoices, events and requests.
//!
//! Documents are written in canonical form from the start, as one line of text, so what is hashed
//! and what is sent are the same bytes and no XML library stands in between.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};

use crate::config::certificate::{Certificate, CertificateError};

/// The namespace of everything that the tax office reads.
pub(crate) const NFE_NS: &str = "http://www.portalfiscal.inf.br/nfe";

const DSIG_NS: &str = "http://www.w3.org/2000/09/xmldsig#";
const C14N: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";

/// The `Signature` element of a signed element.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    pub(crate) xml: String,
    /// Base64 of the SHA-1 of the signed element: what the protocol of an authorisation repeats.
    pub(crate) digest: String,
}

/// Signs an element that is in canonical form but for the namespace that it inherits: `element`
/// begins with `<tag ` and has the attribute `Id="id"`.
pub(crate) fn sign(
    element: &str,
    id: &str,
    certificate: &Certificate,
) -> Result<Signature, CertificateError> {
    let digest = STANDARD.encode(Sha1::digest(with_namespace(element)));
    let signed_info = signed_info(id, &digest);
    // On its own, SignedInfo names the namespace that it otherwise inherits from Signature.
    let alone =
        signed_info.replacen("<SignedInfo>", &format!("<SignedInfo xmlns=\"{DSIG_NS}\">"), 1);
    let value = STANDARD.encode(certificate.sign(alone.as_bytes())?);
    let certificate = STANDARD.encode(certificate.der());
    let xml = format!(
        "<Signature xmlns=\"{DSIG_NS}\">{signed_info}<SignatureValue>{value}</SignatureValue>\
         <KeyInfo><X509Data><X509Certificate>{certificate}</X509Certificate></X509Data></KeyInfo>\
         </Signature>"
    );
    Ok(Signature { xml, digest })
}

/// The element as it is hashed: with its namespace as the first attribute, which is where the
/// canonical form puts it.
fn with_namespace(element: &str) -> String {
    let (tag, rest) = element.split_once(' ').unwrap_or((element, ""));
    format!("{tag} xmlns=\"{NFE_NS}\" {rest}")
}

fn signed_info(id: &str, digest: &str) -> String {
    format!(
        "<SignedInfo><CanonicalizationMethod Algorithm=\"{C14N}\"></CanonicalizationMethod>\
         <SignatureMethod Algorithm=\"{DSIG_NS}rsa-sha1\"></SignatureMethod>\
         <Reference URI=\"#{id}\"><Transforms>\
         <Transform Algorithm=\"{DSIG_NS}enveloped-signature\"></Transform>\
         <Transform Algorithm=\"{C14N}\"></Transform></Transforms>\
         <DigestMethod Algorithm=\"{DSIG_NS}sha1\"></DigestMethod>\
         <DigestValue>{digest}</DigestValue></Reference></SignedInfo>"
    )
}
