//! What `/metrics` tells of the shop itself: its counters, and what waits in its database.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;
use shop_core::Shop;
use shop_core::clock::Timestamp;
use shop_core::measure::Histogram;
use shop_core::shop::{Counters, SendCounts};
use shop_core::views::{Backlog, Figures};

use crate::latest::Latest;

/// How long the database may take to tell what waits. Whoever asks for figures waits no longer.
const DEADLINE: Duration = Duration::from_secs(3);
/// How many microseconds a second has.
const MICROS: f64 = 1e6;

/// The database's latest answer; `None` where it gave none.
#[derive(Debug, Default)]
pub(crate) struct LatestFigures(Latest<Option<Arc<Figures>>>);

impl LatestFigures {
    /// What waits in the database, asked no more than once a second.
    async fn get(&self, shop: &Shop) -> Option<Arc<Figures>> {
        let find_out = async {
            match tokio::time::timeout(DEADLINE, shop.dashboard().get_figures()).await {
                Ok(Ok(figures)) => return Some(Arc::new(figures)),
                Ok(Err(error)) => tracing::error!(?error, "no figures of the database"),
                Err(_) => tracing::error!("no figures of the database: it takes too long"),
            }
            None
        };
        self.0.get(find_out).await
    }

    /// Everything that is told of the shop. Where the database does not answer, what it would tell
    /// is missing.
    pub(crate) async fn registry(&self, shop: &Shop) -> Registry {
        let figures = self.get(shop).await;
        let mut registry = Registry::with_prefix("shop");
        register_counters(&mut registry, &shop.counters());
        if let Some(figures) = figures {
            register_figures(&mut registry, &figures, shop.now());
        }
        registry
    }
}

type Labels = Vec<(&'static str, &'static str)>;

/// The samples of one metric, each with its labels.
#[derive(Debug)]
enum Samples {
    Counters(Vec<(Labels, u64)>),
    Gauges(Vec<(Labels, f64)>),
    /// In the unit that so many of the histogram's make.
    Histograms(Vec<(Labels, Histogram)>, f64),
}

impl EncodeMetric for Samples {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        match self {
            Self::Counters(samples) => samples.iter().try_for_each(|(labels, count)| {
                with_labels(&mut encoder, labels, |encoder| {
                    encoder.encode_counter::<NoLabelSet, _, u64>(count, None)
                })
            }),
            Self::Gauges(samples) => samples.iter().try_for_each(|(labels, value)| {
                with_labels(&mut encoder, labels, |encoder| encoder.encode_gauge(value))
            }),
            Self::Histograms(samples, unit) => {
                samples.iter().try_for_each(|(labels, histogram)| {
                    with_labels(&mut encoder, labels, |encoder| encode(encoder, histogram, *unit))
                })
            }
        }
    }

    fn metric_type(&self) -> MetricType {
        match self {
            Self::Counters(_) => MetricType::Counter,
            Self::Gauges(_) => MetricType::Gauge,
            Self::Histograms(..) => MetricType::Histogram,
        }
    }
}

/// Without labels there is no pair of brackets.
fn with_labels(
    encoder: &mut MetricEncoder<'_>,
    labels: &Labels,
    encode: impl FnOnce(&mut MetricEncoder<'_>) -> fmt::Result,
) -> fmt::Result {
    if labels.is_empty() { encode(encoder) } else { encode(&mut encoder.encode_family(labels)?) }
}

#[expect(clippy::cast_precision_loss, reason = "a float is what the format has")]
fn encode(encoder: &mut MetricEncoder<'_>, histogram: &Histogram, unit: f64) -> fmt::Result {
    let buckets = histogram.buckets.iter().map(|(bound, count)| (*bound as f64 / unit, *count));
    let buckets: Vec<(f64, u64)> = buckets.chain([(f64::MAX, histogram.above)]).collect();
    let sum = histogram.sum as f64 / unit;
    encoder.encode_histogram::<NoLabelSet>(sum, histogram.count(), &buckets, None)
}

fn sent(what: &SendCounts) -> Samples {
    let SendCounts { sent, put_off, given_up, .. } = *what;
    let outcomes = [("sent", sent), ("put_off", put_off), ("given_up", given_up)];
    Samples::Counters(outcomes.map(|(outcome, n)| (vec![("outcome", outcome)], n)).into())
}

fn register_counters(registry: &mut Registry, counters: &Counters) {
    let one = |count| Samples::Counters(vec![(vec![], count)]);
    registry.register("orders_placed", "Orders placed", one(counters.orders));
    let payments = counters
        .payments
        .iter()
        .map(|it| (vec![("provider", it.provider), ("status", it.status.as_str())], it.count));
    let about = "Payments that came into a status";
    registry.register("payments", about, Samples::Counters(payments.collect()));
    let invoices =
        counters.invoices.iter().map(|(it, count)| (vec![("status", it.as_str())], *count));
    let about = "Invoices that came into a status";
    registry.register("invoices", about, Samples::Counters(invoices.collect()));
    registry.register("mails", "Tries to send a mail", sent(&counters.mails));
    let about = "Tries to send an event to an endpoint";
    registry.register("webhook_deliveries", about, sent(&counters.webhooks));
    register_calls(registry, counters);
    register_storage(registry, counters);
}

fn register_calls(registry: &mut Registry, counters: &Counters) {
    let calls = counters.calls.iter().flat_map(|it| {
        let provider = it.provider.as_str();
        let labels = move |outcome| vec![("provider", provider), ("outcome", outcome)];
        it.outcomes.iter().map(move |(outcome, n)| (labels(outcome.as_str()), *n))
    });
    let about = "Calls of third parties";
    registry.register("provider_calls", about, Samples::Counters(calls.collect()));
    let times = counters.calls.iter();
    let times = times.map(|it| (vec![("provider", it.provider.as_str())], it.times.clone()));
    let times = Samples::Histograms(times.collect(), MICROS);
    registry.register("provider_call_seconds", "Time of a call of a third party", times);
}

#[expect(clippy::cast_precision_loss, reason = "a float is what the format has")]
fn register_storage(registry: &mut Registry, counters: &Counters) {
    let storage = &counters.storage;
    let histogram = |it: &Histogram, unit| Samples::Histograms(vec![(vec![], it.clone())], unit);
    registry.register("commit_seconds", "Time of a commit", histogram(&storage.commits, MICROS));
    registry.register("commit_jobs", "Writes that shared a commit", histogram(&storage.jobs, 1.0));
    let about = "Groups of writes that PostgreSQL had run again";
    let retries = Samples::Counters(vec![(vec![], storage.retries)]);
    registry.register("postgres_retries", about, retries);
    let queues = storage.queues.iter().map(|(queue, n)| (vec![("queue", *queue)], *n as f64));
    let about = "Reads and writes that wait for a thread";
    registry.register("storage_queue_jobs", about, Samples::Gauges(queues.collect()));
    let wal = Samples::Gauges(vec![(vec![], storage.wal_bytes as f64)]);
    registry.register("sqlite_wal_bytes", "Size of SQLite's write-ahead log", wal);
}

#[expect(clippy::cast_precision_loss, reason = "a float is what the format has")]
fn register_figures(registry: &mut Registry, figures: &Figures, now: Timestamp) {
    let one = |count: i64| Samples::Gauges(vec![(vec![], count as f64)]);
    let by_status = |status, count: i64| (vec![("status", status)], count as f64);
    let age = |waiting: &Backlog| {
        let millis = waiting.oldest.map_or(0, |at| now.millis() - at.millis());
        Samples::Gauges(vec![(vec![], millis.max(0) as f64 / 1e3)])
    };
    let orders = figures.orders.iter().map(|(it, count)| by_status(it.as_str(), *count));
    registry.register("orders", "Orders by status", Samples::Gauges(orders.collect()));
    let open = figures.open_invoices.iter().map(|(it, count)| by_status(it.as_str(), *count));
    let about = "Invoices that are not settled";
    registry.register("invoices_open", about, Samples::Gauges(open.collect()));
    register_waiting(registry, figures, &one, &age);
}

fn register_waiting(
    registry: &mut Registry,
    figures: &Figures,
    one: &impl Fn(i64) -> Samples,
    age: &impl Fn(&Backlog) -> Samples,
) {
    let Figures { unsent_mails, unqueued_events, queued_events, .. } = figures;
    for (name, about, samples) in [
        ("payments_in_review", "Payments a person must look at", one(figures.payments_in_review)),
        (
            "payment_checks_due",
            "Payments and refunds whose provider is to be asked",
            one(figures.payment_checks_due),
        ),
        (
            "invoices_not_issued",
            "Orders whose invoice could not be issued",
            one(figures.invoices_not_issued),
        ),
        ("mails_unsent", "Mails that are to be sent", one(unsent_mails.count)),
        ("mails_oldest_unsent_seconds", "Age of the oldest unsent mail", age(unsent_mails)),
        ("mails_failing", "Mails whose tries failed", one(figures.failing_mails)),
        ("events_unqueued", "Events not handed to webhooks yet", one(unqueued_events.count)),
        (
            "events_oldest_unqueued_seconds",
            "Age of the oldest event not handed to webhooks yet",
            age(unqueued_events),
        ),
        ("webhook_queue_events", "Events that endpoints are to get", one(queued_events.count)),
        (
            "webhook_oldest_event_seconds",
            "Age of the oldest event that an endpoint is to get",
            age(queued_events),
        ),
        ("webhooks_failing", "Endpoints that fail", one(figures.failing_webhooks)),
    ] {
        registry.register(name, about, samples);
    }
}
