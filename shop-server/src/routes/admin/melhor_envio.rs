//! The connection with Melhor Envio, for staff (`/api/admin/shipping/melhor-envio`).

use shop_core::shipment::{ConnectAddress, MelhorEnvioState};

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, "/api/admin/shipping/melhor-envio", "getMelhorEnvio", state)
            .about("Whether the shop is connected with Melhor Envio, and until when"),
        admin(
            Method::GET,
            "/api/admin/shipping/melhor-envio/connect",
            "connectMelhorEnvio",
            connect,
        )
        .about("Begins a connection: the page on which the account's holder allows it")
        .details("It must be allowed within an hour, and leads back to the shop.")
        .fails(&[Code::MelhorEnvioNotConfigured]),
        admin(
            Method::DELETE,
            "/api/admin/shipping/melhor-envio/connection",
            "disconnectMelhorEnvio",
            disconnect,
        )
        .about("Forget the connection"),
    ]
}

async fn state(call: Call<Admin>) -> Result<MelhorEnvioState> {
    call.shop().melhor_envio().state().await
}

async fn connect(call: Call<Admin>) -> Result<ConnectAddress> {
    call.shop().melhor_envio().connect(&call.actor()).await
}

async fn disconnect(call: Call<Admin>) -> Result<Message> {
    call.shop().melhor_envio().disconnect(&call.actor()).await?;
    Ok(Message::new("Conexão com o Melhor Envio desfeita"))
}
