//! TLS, HTTP and SOAP, as the office wants them.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use roxmltree::Document;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use super::{Behavior, Sefaz, books};

/// The password of the company's PKCS#12 file.
pub(crate) const PASSWORD: &str = "teste123";

const SOAP: &str = "http://www.w3.org/2003/05/soap-envelope";

pub(super) fn file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "it", "fakes", "sefaz", "files", name].iter().collect()
}

/// Whoever has no certificate of the authority's is not let in.
fn acceptor() -> TlsAcceptor {
    let mut roots = RootCertStore::empty();
    let authority = CertificateDer::from_pem_file(file("ca.pem")).expect("an authority");
    roots.add(authority).expect("a root");
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone());
    let chain = vec![CertificateDer::from_pem_file(file("server.pem")).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_file(file("server_key.pem")).expect("a key");
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_client_cert_verifier(verifier.build().expect("a verifier"))
        .with_single_cert(chain, key)
        .expect("a certificate");
    Arc::new(config).into()
}

pub(super) async fn serve(listener: TcpListener, sefaz: Sefaz) {
    let acceptor = acceptor();
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, sefaz) = (acceptor.clone(), sefaz.clone());
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let service = service_fn(move |request| answer(sefaz.clone(), request));
            // A client that hangs up early is none of the office's business.
            drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
        });
    }
}

/// An answer; an error closes the connection without one.
async fn answer(
    sefaz: Sefaz,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, io::Error> {
    let (parts, body) = request.into_parts();
    let service = parts.uri.path().trim_start_matches('/').to_owned();
    let operation = books::operation(&service);
    let kind = parts.headers.get("content-type").map(|it| it.to_str().expect("text").to_owned());
    let action = format!("http://www.portalfiscal.inf.br/nfe/wsdl/{service}/{operation}");
    assert_eq!(
        (parts.method, kind),
        (Method::POST, Some(format!("application/soap+xml; charset=utf-8; action=\"{action}\"")))
    );
    let body = body.collect().await.expect("a body").to_bytes();
    let message = opened(&service, str::from_utf8(&body).expect("UTF-8"));
    let (behavior, said) = {
        let mut state = sefaz.state.lock().expect("a lock");
        let behavior = state.behavior;
        state.received.push((service.clone(), message.clone()));
        (behavior, state.books.answer(&service, &message, behavior))
    };
    match behavior {
        Behavior::SilentBefore | Behavior::SilentAfter => std::future::pending().await,
        Behavior::HangsUpAfter => Err(io::Error::other("hangs up")),
        Behavior::Garbage => {
            Ok(page(StatusCode::OK, "<html><body>Manutenção<br></body></html>".into()))
        }
        Behavior::Fault => Ok(page(StatusCode::INTERNAL_SERVER_ERROR, envelope(FAULT))),
        Behavior::OtherXml => Ok(page(StatusCode::OK, "<ok/>".into())),
        _ => {
            let said = if behavior == Behavior::Escapes {
                said.replace('&', "&amp;").replace('<', "&lt;")
            } else {
                said
            };
            let result = format!(
                "<nfeResultMsg xmlns=\"http://www.portalfiscal.inf.br/nfe/wsdl/{service}\">{said}\
                 </nfeResultMsg>"
            );
            Ok(page(StatusCode::OK, envelope(&result)))
        }
    }
}

const FAULT: &str = "<soap:Fault><soap:Code><soap:Value>soap:Receiver</soap:Value></soap:Code>\
    <soap:Reason><soap:Text xml:lang=\"pt-BR\">Servidor sem memória</soap:Text></soap:Reason>\
    </soap:Fault>";

fn envelope(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope xmlns:soap=\"{SOAP}\">\
         <soap:Body>{body}</soap:Body></soap:Envelope>"
    )
}

fn page(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response
}

/// The document in a request's envelope, which must be as the services' description says.
fn opened(service: &str, body: &str) -> String {
    let document = Document::parse(body).expect("XML");
    let root = document.root_element();
    assert!(root.has_tag_name((SOAP, "Envelope")), "an envelope of SOAP 1.2");
    let body_element = root.first_element_child().expect("a body");
    assert!(body_element.has_tag_name((SOAP, "Body")));
    let message = body_element.first_element_child().expect("a message");
    let namespace = format!("http://www.portalfiscal.inf.br/nfe/wsdl/{service}");
    assert!(message.has_tag_name((namespace.as_str(), "nfeDadosMsg")), "{message:?}");
    let inner = message.first_element_child().expect("a document");
    body[inner.range()].to_owned()
}
