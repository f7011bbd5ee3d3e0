use clap::Subcommand;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::id::{WebhookDeliveryId, WebhookId};
use shop_core::webhook::{DeliveryFilter, WebhookDelivery, WebhookEndpoint};

use crate::arguments::{Paging, tell_rest};
use crate::failure::Failure;
use crate::output::{Format, Table};

/// Receivers of what happens in the shop.
#[derive(Debug, Subcommand)]
pub(crate) enum Webhook {
    /// Shows all receivers
    List,
    /// Shows the latest attempts to deliver to a receiver
    Deliveries {
        /// The receiver's id
        id: String,
        /// Only those that failed
        #[arg(long)]
        failed: bool,
        #[command(flatten)]
        paging: Paging,
    },
    /// Sends the event of a delivery again; the server sends it
    Redeliver {
        /// The receiver's id
        id: String,
        /// The delivery's id
        delivery: String,
    },
}

impl Webhook {
    pub(crate) async fn run(self, shop: &Shop, format: Format) -> Result<(), Failure> {
        let webhooks = shop.webhooks();
        match self {
            Self::List => {
                let endpoints = webhooks.list().await?;
                format.write(&endpoints, || list(&endpoints))
            }
            Self::Deliveries { id, failed, paging: Paging { page, limit } } => {
                let success = failed.then_some(false);
                let filter = DeliveryFilter { page, limit, success, event: None };
                let found = webhooks.list_deliveries(&WebhookId::from(id), filter).await?;
                format.write(&found, || deliveries(&found.data))?;
                tell_rest(found.pagination, format);
                Ok(())
            }
            Self::Redeliver { id, delivery } => {
                let (id, delivery) = (WebhookId::from(id), WebhookDeliveryId::from(delivery));
                let queued = webhooks.redeliver(&Actor::System, &id, &delivery).await?;
                format.write(&queued, || Table {
                    head: ["QUEUED"],
                    rows: vec![[queued.queued.to_string()]],
                })
            }
        }
    }
}

fn list(endpoints: &[WebhookEndpoint]) -> Table<4> {
    let row = |endpoint: &WebhookEndpoint| {
        let events: Vec<&str> = endpoint.events.iter().map(|event| event.as_str()).collect();
        let state = match (endpoint.active, endpoint.disabled_reason, endpoint.failing_since) {
            (true, _, None) => "active".to_owned(),
            (true, _, Some(since)) => format!("failing since {since}"),
            (false, Some(reason), _) => format!("off ({})", reason.as_str()),
            (false, None, _) => "off".to_owned(),
        };
        [endpoint.id.to_string(), endpoint.url.clone(), state, events.join(" ")]
    };
    Table { head: ["ID", "URL", "STATE", "EVENTS"], rows: endpoints.iter().map(row).collect() }
}

fn deliveries(deliveries: &[WebhookDelivery]) -> Table<6> {
    let row = |delivery: &WebhookDelivery| {
        let answer = match (delivery.response_code, &delivery.error) {
            (Some(code), _) => code.to_string(),
            (None, error) => error.as_ref().map(ToString::to_string).unwrap_or_default(),
        };
        [
            delivery.id.to_string(),
            delivery.created_at.to_string(),
            delivery.event.to_string(),
            delivery.attempt.to_string(),
            answer,
            format!("{} ms", delivery.duration_ms),
        ]
    };
    Table {
        head: ["ID", "WHEN", "EVENT", "ATTEMPT", "ANSWER", "TOOK"],
        rows: deliveries.iter().map(row).collect(),
    }
}
