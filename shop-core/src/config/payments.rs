//! Settings of payments.

use std::num::NonZeroU32;
use std::time::Duration;

use super::Secret;

settings! {
    /// Payment providers.
    pub struct PaymentsConfig {
        /// How long a provider may take to answer, in milliseconds; one that the program brings
        /// along too.
        pub timeout_ms: u64 = 15_000,
        /// How many cards of one account may be refused within an hour before it has to wait.
        pub card_refusals_per_hour: NonZeroU32 = const { NonZeroU32::new(20).unwrap() },
        /// The same for all accounts behind one IP address.
        pub card_refusals_per_hour_per_ip: NonZeroU32 = const { NonZeroU32::new(60).unwrap() },
        /// PIX and cards.
        pub provider1: Provider1Config,
        /// Payment intents.
        pub provider2: Provider2Config,
        /// What stands in the PIX codes that the sandbox makes.
        pub pix: PixConfig,
    }

    /// Settings of provider1, which speaks as Mercado Pago does.
    pub struct Provider1Config {
        /// Where it is.
        pub url: String = "https://api.mercadopago.com".to_owned(),
        /// The shop's token. Without it the built-in sandbox plays provider1.
        pub access_token: Option<Secret>,
        /// What the provider signs its notices with; several, with commas between, while it
        /// changes. The sandbox makes its own where it is not set.
        pub webhook_secret: Option<Secret>,
        /// How old a notice may be, in seconds. A day by default: the provider repeats them for
        /// hours (docs/decisions.md, "Access").
        pub webhook_tolerance_seconds: u64 = 24 * 60 * 60,
    }

    /// Settings of provider2, which speaks as Stripe does.
    pub struct Provider2Config {
        /// Where it is.
        pub url: String = "https://api.stripe.com".to_owned(),
        /// The shop's key. Without it the built-in sandbox plays provider2.
        pub secret_key: Option<Secret>,
        /// What the provider signs its events with; several, with commas between, while it changes.
        /// The sandbox makes its own where it is not set.
        pub webhook_secret: Option<Secret>,
        /// The header in which the signature of an event stands.
        pub signature_header: String = "stripe-signature".to_owned(),
    }

    /// The receiver that a PIX code of the sandbox names.
    pub struct PixConfig {
        /// The receiver's PIX key.
        pub key: String = "pix@velas.example".to_owned(),
        /// The receiver's name, at most 25 characters in the code.
        pub merchant_name: String = super::SAMPLE_NAME.to_owned(),
        /// The receiver's city, at most 15 characters in the code.
        pub merchant_city: String = "São Paulo".to_owned(),
    }
}

impl PaymentsConfig {
    /// How long a provider may take to answer.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}
