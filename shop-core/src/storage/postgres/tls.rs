//! How a connection is kept private: `sslmode` and `sslrootcert` in the database's URL, with the
//! meaning that PostgreSQL's own programs give them.

use std::sync::Arc;

use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::{
    CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore, SignatureScheme,
};

use crate::error::{Error, Result};

/// Which certificate proves that a server is the one that was asked for.
#[derive(Debug, PartialEq, Eq)]
enum Trust {
    /// Any: the traffic is hidden from an attacker that only listens.
    Anybody,
    /// The certificate authorities of the web.
    Web,
    /// The certificates in this file.
    File(String),
}

/// What a URL says, and how to make its connections private.
pub(super) fn read(url: &str) -> Result<(Config, MakeRustlsConnect)> {
    let (rest, mode, trust) = split(url)?;
    // The error could quote the URL, which holds a password.
    let unusable = |_| {
        Error::internal(
            "the database's URL cannot be read: postgres://user:password@host:5432/name, in whose \
             password %, :, /, ?, # and @ are written as %25, %3A, %2F, %3F, %23 and %40",
        )
    };
    let mut config: Config = rest.parse().map_err(unusable)?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(Error::internal(
            "the database's URL names no host: postgres://user:password@host:5432/name, or \
             postgres:///name?host=/var/run/postgresql for a server that listens there",
        ));
    }
    config.ssl_mode(mode);
    Ok((config, MakeRustlsConnect::new(client(&trust)?)))
}

/// A URL without what it says of TLS, and that.
fn split(url: &str) -> Result<(String, SslMode, Trust)> {
    let (place, query) = url.split_once('?').unwrap_or((url, ""));
    let (mut mode, mut file, mut rest) = ("prefer", None, Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("sslmode", value)) => mode = value,
            Some(("sslrootcert", value)) => file = Some(decoded(value)?),
            _ => rest.push(pair),
        }
    }
    let (mode, trust) = match (mode, file) {
        ("disable", _) => (SslMode::Disable, Trust::Anybody),
        ("prefer", _) => (SslMode::Prefer, Trust::Anybody),
        ("require", None) => (SslMode::Require, Trust::Anybody),
        ("verify-full", None) => (SslMode::Require, Trust::Web),
        ("require" | "verify-full", Some(file)) => (SslMode::Require, Trust::File(file)),
        _ => {
            let modes = "disable, prefer, require or verify-full";
            return Err(Error::internal(format!("sslmode in the database's URL must be {modes}")));
        }
    };
    Ok((format!("{place}?{}", rest.join("&")), mode, trust))
}

fn decoded(value: &str) -> Result<String> {
    let text = percent_encoding::percent_decode_str(value).decode_utf8();
    Ok(text.map_err(Error::from_source)?.into_owned())
}

fn client(trust: &Trust) -> Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(Error::from_source)?;
    let roots = match trust {
        Trust::Anybody => {
            let anybody = Arc::new(Anybody(provider));
            let builder = builder.dangerous().with_custom_certificate_verifier(anybody);
            return Ok(builder.with_no_client_auth());
        }
        Trust::Web => RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() },
        Trust::File(file) => certificates(file)?,
    };
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

fn certificates(file: &str) -> Result<RootCertStore> {
    let unusable = |error: &dyn std::fmt::Display| {
        Error::internal(format!("sslrootcert {file} cannot be used: {error}"))
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| unusable(&error))? {
        let certificate = certificate.map_err(|error| unusable(&error))?;
        roots.add(certificate).map_err(|error| unusable(&error))?;
    }
    if roots.is_empty() { Err(unusable(&"there is no certificate in it")) } else { Ok(roots) }
}

/// Takes any certificate, as `sslmode=require` does: its holder must have its key, and no more.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let known = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let known = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_says_how_private_and_whom_to_trust() {
        let place = "postgres://shop:hush@db/shop";
        let told = |query: &str| split(&format!("{place}{query}")).expect("a mode");
        let plain = format!("{place}?");
        let file = || Trust::File("/etc/my ca.pem".to_owned());
        for (query, mode, trust) in [
            ("", SslMode::Prefer, Trust::Anybody),
            ("?sslmode=disable", SslMode::Disable, Trust::Anybody),
            ("?sslmode=require", SslMode::Require, Trust::Anybody),
            ("?sslmode=verify-full", SslMode::Require, Trust::Web),
            ("?sslmode=verify-full&sslrootcert=/etc/my%20ca.pem", SslMode::Require, file()),
            ("?sslrootcert=/etc/my%20ca.pem&sslmode=require", SslMode::Require, file()),
        ] {
            assert_eq!(told(query), (plain.clone(), mode, trust), "{query}");
        }
        let (rest, ..) = told("?connect_timeout=3&sslmode=require&options=-c%20a%3Db");
        assert_eq!(rest, format!("{place}?connect_timeout=3&options=-c%20a%3Db"));
    }

    #[test]
    fn what_cannot_be_used_is_named_without_the_password() {
        for url in [
            "postgres://shop:hush@db/shop?sslmode=verify-ca",
            "postgres://shop:hush@db/shop?sslmode=require&sslrootcert=/missing.pem",
            "postgres://shop:hush@db:port/shop",
        ] {
            let error = read(url).err().expect("refused");
            let text = format!("{error:?}");
            assert!(!text.contains("hush"), "{text}");
        }
    }
}
