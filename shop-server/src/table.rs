//! The endpoint table, ready to be searched.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyper::Method;
use hyper::header::HeaderValue;

use crate::cors::Segment;
use crate::metrics::{Metrics, RowMetrics};
use crate::openapi::{Operation, Schemas};
use crate::route::Route;

/// A row with what is worked out once for it.
pub(crate) struct Row {
    pub(crate) route: Route,
    pub(crate) segment: Segment,
    pub(crate) metrics: RowMetrics,
    /// The names of its query's parameters.
    pub(crate) query_names: Vec<String>,
}

/// All rows of one path.
pub(crate) struct Methods {
    rows: Vec<Arc<Row>>,
    pub(crate) segment: Segment,
    /// What the header `Allow` says.
    pub(crate) allow: HeaderValue,
}

/// What stands in the table for a request.
pub(crate) enum Found<'t> {
    /// Its row.
    Row(&'t Arc<Row>),
    /// The path is known, the method is `OPTIONS`.
    Options(&'t Arc<Methods>),
    /// The path is known, the method is not.
    OtherMethods(&'t Arc<Methods>),
    /// Nothing.
    Nothing,
}

/// The endpoint table.
pub(crate) struct Table {
    router: matchit::Router<Arc<Methods>>,
}

impl Table {
    /// # Errors
    /// When two rows cannot be told apart.
    pub(crate) fn new(rows: Vec<Route>, metrics: &Metrics) -> Result<Self, matchit::InsertError> {
        let mut by_path: BTreeMap<&'static str, Vec<Arc<Row>>> = BTreeMap::new();
        for route in rows {
            by_path.entry(route.path).or_default().push(Arc::new(Row::new(route, metrics)));
        }
        let mut router = matchit::Router::new();
        for (path, rows) in by_path {
            let methods = Methods { allow: allow(&rows), segment: Segment::of(path), rows };
            router.insert(path, Arc::new(methods))?;
        }
        Ok(Self { router })
    }

    pub(crate) fn find(&self, method: &Method, path: &str) -> Found<'_> {
        let Ok(found) = self.router.at(path) else { return Found::Nothing };
        // HEAD is GET whose body nobody sends.
        let wanted = if method == Method::HEAD { &Method::GET } else { method };
        match found.value.rows.iter().find(|row| row.route.method == *wanted) {
            Some(row) => Found::Row(row),
            None if method == Method::OPTIONS => Found::Options(found.value),
            None => Found::OtherMethods(found.value),
        }
    }

    /// The path's parameters, decoded.
    pub(crate) fn params(&self, path: &str) -> Vec<(String, String)> {
        let Ok(found) = self.router.at(path) else { return Vec::new() };
        let decode = |text| percent_encoding::percent_decode_str(text).decode_utf8_lossy();
        let params = found.params.iter();
        params.map(|(name, text)| (name.to_owned(), decode(text).into_owned())).collect()
    }
}

impl Row {
    fn new(route: Route, metrics: &Metrics) -> Self {
        let mut operation = Operation::default();
        (route.describe)(&mut operation, &mut Schemas::default());
        Self {
            segment: Segment::of(route.path),
            metrics: metrics.row(route.method.as_str(), route.path),
            query_names: operation.parameter_names("query"),
            route,
        }
    }
}

fn allow(rows: &[Arc<Row>]) -> HeaderValue {
    let mut methods: Vec<&str> = rows.iter().map(|row| row.route.method.as_str()).collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.push("OPTIONS");
    HeaderValue::from_str(&methods.join(", ")).unwrap_or(HeaderValue::from_static("OPTIONS"))
}
