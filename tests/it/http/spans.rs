//! The spans that a program which collects traces sees.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Subscriber, subscriber};
use tracing_subscriber::Registry;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use super::TestServer;

/// A span, and the place of the one that it is in.
#[derive(Debug, Clone)]
struct Seen {
    name: &'static str,
    fields: BTreeMap<&'static str, String>,
    parent: Option<usize>,
}

/// Notes every span there is.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Seen>>>);

/// The place of a span among those that were noted.
struct Place(usize);

impl Collector {
    fn spans(&self) -> Vec<Seen> {
        self.0.lock().expect("a lock").clone()
    }
}

/// The value of a field of a span, or of one that it is in.
fn within<'s>(spans: &'s [Seen], span: &'s Seen, field: &str) -> Option<&'s str> {
    match span.fields.get(field) {
        Some(value) => Some(value),
        None => within(spans, &spans[span.parent?], field),
    }
}

impl Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Collector {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let span = context.span(id).expect("a span");
        let parent =
            span.parent().and_then(|it| it.extensions().get::<Place>().map(|Place(it)| *it));
        let name = attributes.metadata().name();
        let mut seen = Seen { name, fields: BTreeMap::new(), parent };
        attributes.record(&mut seen);
        let mut spans = self.0.lock().expect("a lock");
        span.extensions_mut().insert(Place(spans.len()));
        spans.push(seen);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let span = context.span(id).expect("a span");
        let place = span.extensions().get::<Place>().map(|Place(it)| *it).expect("noted");
        values.record(&mut self.0.lock().expect("a lock")[place]);
    }
}

/// The spans of an order that a customer places, and its request's id. The server runs on this
/// thread, for which alone the spans are noted.
async fn placing_an_order(filter: &str) -> (Vec<Seen>, String) {
    let server = TestServer::start().await;
    let ana = server.customer("ana").await;
    let vela = server.test.product("vela", 10, 4990).await;
    let address = &ana.buyer().address;
    let order =
        json!({ "addressId": address, "cartItems": [{ "productId": vela, "quantity": 1 }] });
    let collector = Collector::default();
    let levels: Targets = filter.parse().expect("levels");
    let listening = Registry::default().with(levels).with(collector.clone());
    // Whether a kind of span is wanted is kept once it was asked. As long as there is one
    // subscriber, that of the thread that meets the kind first is asked, and other tests' threads
    // have none; of several, each is.
    let second = Dispatch::new(Registry::default());
    let listening = subscriber::set_default(listening);
    let answer = ana.post("/api/orders?from=somewhere", &order).await;
    drop((listening, second));
    answer.expect(201);
    let id = answer.header("x-request-id").expect("an id").to_owned();
    (collector.spans(), id)
}

#[tokio::test]
async fn all_that_happens_for_a_request_is_in_its_span_with_its_id() {
    let (spans, id) = placing_an_order("shop_server=debug,shop_core=debug").await;
    let request = spans.iter().find(|span| span.name == "request").expect("a request");
    let expected =
        [("method", "POST"), ("request", id.as_str()), ("route", "/api/orders"), ("status", "201")];
    let fields = request.fields.iter().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(fields.collect::<Vec<_>>(), expected);
    for (name, field, value) in
        [("order.place", "", ""), ("db.write", "job", "order.place"), ("db.read", "job", "")]
    {
        // Background work has spans of its own meanwhile.
        let found = spans.iter().any(|span| {
            let is_it =
                span.name == name && span.fields.get(field).is_none_or(|it| it.starts_with(value));
            is_it && within(&spans, span, "request") == Some(id.as_str())
        });
        assert!(found, "no {name} {value} of the request in {spans:#?}");
    }
}

#[tokio::test]
async fn spans_tell_nothing_of_people() {
    let (spans, _) = placing_an_order("debug").await;
    let fields: Vec<&String> = spans.iter().flat_map(|span| span.fields.values()).collect();
    for text in ["@", "somewhere", "Bearer", "Paulo", "vela"] {
        assert!(!fields.iter().any(|it| it.contains(text)), "{text} in {fields:?}");
    }
}

#[tokio::test]
async fn what_a_log_shows_by_default_has_no_spans() {
    let (spans, _) = placing_an_order("info").await;
    assert!(spans.is_empty(), "{spans:?}");
}
