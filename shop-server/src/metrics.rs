//! What `/metrics` tells: counts and times by row. A row's own counters are made once, so that a
//! request only touches atomics.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hyper::StatusCode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeMetric, MetricEncoder, NoLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::{MetricType, TypedMetric};
use prometheus_client::registry::Registry;

use crate::cache::Cache;

/// Everything that is counted.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    answers: Family<AnswerLabels, Counter>,
    latency: Family<RowLabels, Latency>,
    /// Connections that are open now.
    pub(crate) connections: Gauge,
    /// Connections that found no place.
    pub(crate) refused_connections: Counter,
    background_failures: Family<StepLabels, Counter<u64, AtomicU64>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StepLabels {
    step: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AnswerLabels {
    method: String,
    route: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RowLabels {
    method: String,
    route: &'static str,
}

/// The counters of one row.
#[derive(Debug)]
pub(crate) struct RowMetrics {
    labels: RowLabels,
    ok: Counter,
    latency: Latency,
    answers: Family<AnswerLabels, Counter>,
}

impl Metrics {
    pub(crate) fn new(cache: &Cache) -> Self {
        let mut all = Registry::with_prefix("shop");
        let registry = all.sub_registry_with_prefix("http");
        let answers = Family::default();
        registry.register("requests", "Requests answered", answers.clone());
        let latency = Family::default();
        registry.register("request_seconds", "Time from head to answer", latency.clone());
        let connections = Gauge::default();
        registry.register("connections", "Open connections", connections.clone());
        let refused_connections = Counter::default();
        let about = "Connections that found no place";
        registry.register("connections_refused", about, refused_connections.clone());
        registry.register("cache_hits", "Answers from the cache", cache.hits.clone());
        registry.register("cache_misses", "Answers made for the cache", cache.misses.clone());
        let background_failures = Family::default();
        let failures = background_failures.clone();
        all.register("background_failures", "Steps of background work that failed", failures);
        let registry = all;
        Self { registry, answers, latency, connections, refused_connections, background_failures }
    }

    /// The counters of a row, which show zeros from the start.
    pub(crate) fn row(&self, method: &str, route: &'static str) -> RowMetrics {
        let labels = RowLabels { method: method.to_owned(), route };
        RowMetrics {
            ok: self.answers.get_or_create_owned(&labels.with(StatusCode::OK)),
            latency: self.latency.get_or_create_owned(&labels),
            answers: self.answers.clone(),
            labels,
        }
    }

    /// All of it, as Prometheus reads it, with how often steps of background work failed and what
    /// is told of the shop.
    pub(crate) fn render(
        &self,
        failures: &[(&'static str, u64)],
        of_shop: &Registry,
    ) -> Result<String, fmt::Error> {
        for (step, count) in failures {
            let counter = self.background_failures.get_or_create_owned(&StepLabels { step });
            counter.inner().store(*count, Ordering::Relaxed);
        }
        let mut text = String::new();
        text::encode_registry(&mut text, &self.registry)?;
        text::encode_registry(&mut text, of_shop)?;
        text::encode_eof(&mut text)?;
        Ok(text)
    }
}

impl RowMetrics {
    pub(crate) fn observe(&self, status: StatusCode, took: Duration) {
        if status == StatusCode::OK {
            self.ok.inc();
        } else {
            self.answers.get_or_create(&self.labels.with(status)).inc();
        }
        self.latency.observe(took);
    }
}

impl RowLabels {
    fn with(&self, status: StatusCode) -> AnswerLabels {
        let Self { method, route } = self;
        AnswerLabels { method: method.clone(), route, status: status.as_u16() }
    }
}

/// Upper bounds in microseconds.
const BOUNDS: [u64; 12] =
    [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 500_000, 2_500_000, 10_000_000];

/// A histogram of times that takes no lock.
#[derive(Debug, Clone, Default)]
struct Latency(Arc<Buckets>);

#[derive(Debug, Default)]
struct Buckets {
    /// One for each bound and one above them all.
    counts: [AtomicU64; BOUNDS.len() + 1],
    sum_micros: AtomicU64,
}

impl Latency {
    fn observe(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.partition_point(|bound| *bound < micros);
        self.0.counts[bucket].fetch_add(1, Ordering::Relaxed);
        self.0.sum_micros.fetch_add(micros, Ordering::Relaxed);
    }
}

impl EncodeMetric for Latency {
    #[expect(clippy::cast_precision_loss, reason = "a float is what the format has")]
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        let counts = self.0.counts.each_ref().map(|count| count.load(Ordering::Relaxed));
        let bounds = BOUNDS.iter().map(|micros| *micros as f64 / 1e6).chain([f64::MAX]);
        let buckets: Vec<(f64, u64)> = bounds.zip(counts).collect();
        let sum = self.0.sum_micros.load(Ordering::Relaxed) as f64 / 1e6;
        encoder.encode_histogram::<NoLabelSet>(sum, counts.iter().sum(), &buckets, None)
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
    }
}

impl TypedMetric for Latency {
    const TYPE: MetricType = MetricType::Histogram;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rows_answers_are_counted_by_status_and_time() {
        let metrics = Metrics::new(&Cache::default());
        let row = metrics.row("GET", "/x");
        row.observe(StatusCode::OK, Duration::from_micros(250));
        row.observe(StatusCode::NOT_FOUND, Duration::from_secs(60));
        let text = metrics.render(&[("mails", 2)], &Registry::default()).expect("renders");
        for line in [
            r#"shop_background_failures_total{step="mails"} 2"#,
            r#"shop_http_requests_total{method="GET",route="/x",status="200"} 1"#,
            r#"shop_http_requests_total{method="GET",route="/x",status="404"} 1"#,
            r#"shop_http_request_seconds_bucket{le="0.0001",method="GET",route="/x"} 0"#,
            r#"shop_http_request_seconds_bucket{le="0.00025",method="GET",route="/x"} 1"#,
            r#"shop_http_request_seconds_bucket{le="10.0",method="GET",route="/x"} 1"#,
            r#"shop_http_request_seconds_bucket{le="+Inf",method="GET",route="/x"} 2"#,
            r#"shop_http_request_seconds_count{method="GET",route="/x"} 2"#,
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}
