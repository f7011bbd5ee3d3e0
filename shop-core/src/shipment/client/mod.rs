//! Providers of labels over HTTP.

mod melhor_envio;

pub(crate) use self::melhor_envio::MelhorEnvio;
