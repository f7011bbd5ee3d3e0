//! The company's certificate (A1: a PKCS#12 file and its password) and what it signs with.

use std::fmt;

use p12_keystore::Pkcs12Archive;
use rsa::pkcs8::{DecodePrivateKey, EncodePrivateKey};
use rsa::rand_core::OsRng;
use rsa::traits::PublicKeyParts;
use rsa::{Pkcs1v15Sign, RsaPrivateKey, RsaPublicKey};
use sha1::{Digest, Sha1};
use x509_parser::extensions::GeneralName;
use x509_parser::oid_registry::Oid;
use x509_parser::pem::Pem;
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::public_key::PublicKey;

use super::finding::Findings;
use super::{ConfigError, IssuerKind, NfeConfig, Secret};
use crate::clock::Timestamp;

/// Where a company's certificate keeps its number (ICP-Brasil, `otherName`).
const CNPJ_OID: [u64; 6] = [2, 16, 76, 1, 3, 3];

/// A certificate with its private key. Never shown by `Debug`.
pub struct Certificate {
    key: RsaPrivateKey,
    /// DER; the company's own first, then whatever else the file has.
    chain: Vec<Vec<u8>>,
    cnpj: Option<String>,
    not_before: Timestamp,
    not_after: Timestamp,
}

/// Why a certificate cannot be used. Holds neither password nor key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// The file cannot be opened with this password, or is no PKCS#12 file.
    #[error("no PKCS#12 file, or not its password: {0}")]
    Pkcs12(String),
    /// The file has no private key for RSA.
    #[error("no RSA private key: {0}")]
    Key(String),
    /// No certificate in the file belongs to its private key.
    #[error("no certificate belongs to the private key")]
    NoCertificate,
    /// A certificate in the file cannot be read.
    #[error("the certificate cannot be read: {0}")]
    X509(String),
    /// It did not sign.
    #[error("cannot sign: {0}")]
    Sign(String),
}

impl Certificate {
    /// Opens a PKCS#12 file (`.pfx`, `.p12`), in the old encryptions and the new one.
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn from_pkcs12(file: &[u8], password: &Secret) -> Result<Self, CertificateError> {
        let archive = Pkcs12Archive::from_pkcs12(file, password.reveal())
            .map_err(|error| CertificateError::Pkcs12(error.to_string()))?;
        let key = archive.keys.first().ok_or_else(|| CertificateError::Key("none".to_owned()))?;
        let certificates = archive.certs.iter().map(|bag| bag.cert.as_der().to_vec()).collect();
        Self::new(key.key.as_der(), certificates)
    }

    /// From two PEM texts: the private key (PKCS#8), and the certificates.
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn from_pem(key: &str, certificates: &str) -> Result<Self, CertificateError> {
        let key = RsaPrivateKey::from_pkcs8_pem(key).map_err(|e| key_error(&e))?;
        let key = key.to_pkcs8_der().map_err(|e| key_error(&e))?;
        let blocks: Result<Vec<Pem>, _> = Pem::iter_from_buffer(certificates.as_bytes()).collect();
        let blocks = blocks.map_err(|e| CertificateError::X509(e.to_string()))?;
        Self::new(key.as_bytes(), blocks.into_iter().map(|block| block.contents).collect())
    }

    fn new(key: &[u8], mut chain: Vec<Vec<u8>>) -> Result<Self, CertificateError> {
        let key = RsaPrivateKey::from_pkcs8_der(key).map_err(|e| key_error(&e))?;
        let own = chain.iter().position(|der| belongs(der, &key));
        chain.swap(0, own.ok_or(CertificateError::NoCertificate)?);
        let (_, x509) = X509Certificate::from_der(&chain[0])
            .map_err(|e| CertificateError::X509(e.to_string()))?;
        let at =
            |time: x509_parser::time::ASN1Time| Timestamp::from_millis(time.timestamp() * 1000);
        let (not_before, not_after) = (at(x509.validity.not_before), at(x509.validity.not_after));
        let cnpj = company_number(&x509);
        Ok(Self { key, chain, cnpj, not_before, not_after })
    }

    /// The number of the company that it was issued to, where it names one.
    pub fn cnpj(&self) -> Option<&str> {
        self.cnpj.as_deref()
    }

    /// From when on it holds.
    pub fn not_before(&self) -> Timestamp {
        self.not_before
    }

    /// Until when it holds.
    pub fn not_after(&self) -> Timestamp {
        self.not_after
    }

    /// The company's own certificate, as DER.
    pub fn der(&self) -> &[u8] {
        &self.chain[0]
    }

    /// All certificates as DER, the company's own first, for mutual TLS.
    #[cfg(feature = "http")]
    pub(crate) fn chain(&self) -> &[Vec<u8>] {
        &self.chain
    }

    /// The private key as PKCS#8 in DER, for mutual TLS; wiped when dropped.
    #[cfg(feature = "http")]
    pub(crate) fn key_der(&self) -> Result<rsa::pkcs8::SecretDocument, CertificateError> {
        self.key.to_pkcs8_der().map_err(|e| key_error(&e))
    }

    /// RSA-SHA1 over a text: what the layout of invoices demands, and nothing else may use. Signed
    /// blinded, so that the time it takes tells nothing of the key.
    pub(crate) fn sign(&self, text: &[u8]) -> Result<Vec<u8>, CertificateError> {
        let digest = Sha1::digest(text);
        self.key
            .sign_with_rng(&mut OsRng, Pkcs1v15Sign::new::<Sha1>(), &digest)
            .map_err(|e| CertificateError::Sign(e.to_string()))
    }
}

impl NfeConfig {
    /// The company's certificate; none where none is set.
    ///
    /// # Errors
    /// [`ConfigError`] when it cannot be read or opened, or is another company's.
    pub(crate) fn certificate(&self) -> Result<Option<Certificate>, ConfigError> {
        let (Some(path), Some(password)) = (&self.certificate_path, &self.certificate_password)
        else {
            return Ok(None);
        };
        let wrong = |what: String| ConfigError::of("nfe.certificate_path", what);
        let file = std::fs::read(path)
            .map_err(|error| wrong(format!("cannot read {}: {error}", path.display())))?;
        let certificate = Certificate::from_pkcs12(&file, password).map_err(|error| {
            wrong(match error {
                // Without its password, a file looks like one that is damaged.
                CertificateError::Pkcs12(why) => format!(
                    "no PKCS#12 file, or nfe.certificate_password is not its password: {why}"
                ),
                other => other.to_string(),
            })
        })?;
        if self.issuer == IssuerKind::Sefaz && !self.is_companys(&certificate) {
            return Err(wrong("it is not of the company nfe.company.cnpj".to_owned()));
        }
        Ok(Some(certificate))
    }

    /// A branch may sign with the head office's: the first eight characters are the same. That a
    /// company is missing is told of its own key.
    fn is_companys(&self, certificate: &Certificate) -> bool {
        let Some(own) = &self.company.cnpj else { return true };
        certificate.cnpj().is_some_and(|cnpj| cnpj.get(..8) == own.as_str().get(..8))
    }

    /// Whether its files can be used.
    pub(super) fn look_at_files(&self, found: &mut Findings) {
        if let Err(error) = self.certificate() {
            found.list.extend_from_slice(error.findings());
        }
        for (key, file) in [("nfe.ca_file", &self.ca_file), ("nfe.logo", &self.logo)] {
            if let Some(Err(error)) = file.as_ref().map(std::fs::File::open) {
                found.error(key, format!("it cannot be read: {error}"));
            }
        }
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate")
            .field("cnpj", &self.cnpj)
            .field("not_after", &self.not_after)
            .finish_non_exhaustive()
    }
}

fn key_error(error: &rsa::pkcs8::Error) -> CertificateError {
    CertificateError::Key(error.to_string())
}

/// Whether a certificate is for this private key.
fn belongs(der: &[u8], key: &RsaPrivateKey) -> bool {
    let Ok((_, x509)) = X509Certificate::from_der(der) else { return false };
    match x509.public_key().parsed() {
        Ok(PublicKey::RSA(public)) => {
            let ours = RsaPublicKey::from(key);
            rsa::BigUint::from_bytes_be(public.modulus) == *ours.n()
        }
        _ => false,
    }
}

/// The last fourteen characters of the name `2.16.76.1.3.3`, whatever string type it is in.
fn company_number(x509: &X509Certificate<'_>) -> Option<String> {
    let oid = Oid::from(&CNPJ_OID).ok()?;
    let names = x509.subject_alternative_name().ok()??;
    names.value.general_names.iter().find_map(|name| match name {
        GeneralName::OtherName(found, value) if *found == oid => {
            let text = value.get(value.len().checked_sub(14)?..)?;
            str::from_utf8(text).ok().map(str::to_owned)
        }
        _ => None,
    })
}
