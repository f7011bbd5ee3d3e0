//! Where Melhor Envio leads browsers (`/api/shipping/melhor-envio/callback`) and sends its notices
//! (`/api/webhooks/melhor-envio`).

use std::time::Duration;

use bytes::Bytes;
use hyper::header::ACCEPT;
use shop_core::Error;
use shop_core::error::{Credential, Refusal};
use shop_core::shipment::{ConnectAnswer, LabelNotice};

use super::unsubscribe::html;
use crate::app::Head;
use crate::input::Input;
use crate::openapi::{Operation, Schemas};
use crate::routes::prelude::*;

const CALLBACK: &str = "/api/shipping/melhor-envio/callback";
const NOTICES: &str = "/api/webhooks/melhor-envio";
/// How often one client may come back from Melhor Envio.
const COMES_BACK: Rate =
    Rate { name: "melhor_envio_callback", max: 30, window: Duration::from_secs(60) };

pub(super) fn rows() -> Vec<Route> {
    vec![
        public(Method::GET, CALLBACK, "melhorEnvioCallback", come_back)
            .about("Where Melhor Envio leads the browser of whom it asked about the connection")
            .details("The address that staff began with has a `state`, which counts once, for an hour.")
            .fails(&[
                Code::MelhorEnvioNotConfigured,
                Code::InvalidConnectState,
                Code::ConnectionNotAllowed,
                Code::ProviderFailure,
            ])
            .media(&["text/html; charset=utf-8"])
            .rate(COMES_BACK),
        public(Method::POST, NOTICES, "melhorEnvioNotice", notice)
            .about("Notices of Melhor Envio about labels, signed in x-me-signature")
            .details(
                "The label is read from Melhor Envio again: the body counts for nothing. What is not \
                 signed is answered and nothing else, since the address is tried that way when it \
                 is registered.",
            ),
        public(Method::GET, NOTICES, "tryMelhorEnvioNotices", probe)
            .about("Answers the look at the address by which it is registered"),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct Noticed {
    /// Whether it was signed and is about a label of the shop that is under way.
    received: bool,
}

/// Whether a person waits for a page: a browser says so.
struct ForPeople(bool);

impl Input for ForPeople {
    fn parse(head: &Head, _: &Bytes) -> Result<Self, Failure> {
        let accepted = head.parts.headers.get(ACCEPT).and_then(|value| value.to_str().ok());
        Ok(Self(accepted.is_some_and(|kinds| kinds.contains("text/html"))))
    }

    fn describe(_: &mut Operation, _: &mut Schemas) {}
}

async fn come_back(
    call: Call<Public>,
    Query(answer): Query<ConnectAnswer>,
    ForPeople(for_people): ForPeople,
) -> Result<WithHeaders<File>> {
    const BACK: &str = "<p><a href=\"/admin/shipping\">Voltar para o painel da loja</a></p>";
    let Err(error) = call.shop().melhor_envio().complete(answer).await else {
        let text = "<p>Pronto: a loja já pode comprar etiquetas.</p>";
        return Ok(html("Melhor Envio conectado", &format!("{text}{BACK}")));
    };
    let why = match &error {
        Error::Refused(Refusal::NotAllowed) => "A conexão não foi autorizada.",
        Error::Unauthenticated(Credential::ConnectState) => {
            "Esta autorização não foi iniciada pela loja ou já expirou. Comece de novo."
        }
        Error::Provider { .. } => "O Melhor Envio não confirmou a autorização. Comece de novo.",
        _ => return Err(error),
    };
    // A person is told what to do next; a program, what went wrong.
    if !for_people {
        return Err(error);
    }
    Ok(html("Melhor Envio não conectado", &format!("<p>{why}</p>{BACK}")))
}

async fn notice(call: Call<Public>, Raw { headers, body }: Raw) -> Result<Noticed> {
    let signature = headers.get("x-me-signature").and_then(|value| value.to_str().ok());
    let notice = LabelNotice { signature: signature.map(str::to_owned), body: body.into() };
    let received = call.shop().melhor_envio().receive_notice(notice).await?;
    Ok(Noticed { received })
}

async fn probe(_: Call<Public>) -> Result<Noticed> {
    Ok(Noticed { received: false })
}
