//! Where Melhor Envio leads browsers (`/api/shipping/melhor-envio/callback`) and sends its notices
//! (`/api/webhooks/melhor-envio`).

use std::time::Duration;

use shop_core::shipment::{ConnectAnswer, LabelNotice};

use super::unsubscribe::html;
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

async fn come_back(
    call: Call<Public>,
    Query(answer): Query<ConnectAnswer>,
) -> Result<WithHeaders<File>> {
    call.shop().melhor_envio().complete(answer).await?;
    Ok(html(
        "Melhor Envio conectado",
        "<p>Pronto: a loja já pode comprar etiquetas. Você pode fechar esta página.</p>\
         <p><a href=\"/admin/\">Voltar para o painel da loja</a></p>",
    ))
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
