//! The endpoint table, ready to be searched.

use std::collections::BTreeMap;

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
    /// The names of its query's parameters, where answers are cached.
    pub(crate) query_names: Vec<String>,
}

/// All that is known of one path.
pub(crate) struct Methods {
    /// Places of its rows in the table.
    rows: Vec<usize>,
    pub(crate) segment: Segment,
    /// What the header `Allow` says.
    pub(crate) allow: HeaderValue,
}

/// What stands in the table for a request.
#[derive(Clone, Copy)]
pub(crate) enum Found<'t> {
    /// Its row.
    Row(&'t Row),
    /// The path is known, the method is `OPTIONS`.
    Options(&'t Methods),
    /// The path is known, the method is not.
    OtherMethods(&'t Methods),
    /// Nothing.
    Nothing,
}

/// The endpoint table.
pub(crate) struct Table {
    rows: Vec<Row>,
    router: matchit::Router<Methods>,
}

impl Table {
    /// # Errors
    /// When two paths cannot be told apart.
    pub(crate) fn new(
        routes: impl IntoIterator<Item = Route>,
        metrics: &Metrics,
    ) -> Result<Self, matchit::InsertError> {
        let rows: Vec<Row> = routes.into_iter().map(|route| Row::new(route, metrics)).collect();
        let mut by_path: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
        for (place, row) in rows.iter().enumerate() {
            by_path.entry(row.route.path).or_default().push(place);
        }
        let mut tree = matchit::Router::new();
        for (path, places) in by_path {
            let allow = allow(places.iter().map(|place| &rows[*place].route.method));
            tree.insert(path, Methods { rows: places, segment: Segment::of(path), allow })?;
        }
        Ok(Self { rows, router: tree })
    }

    /// What stands here for a method and a path, and the path's parameters, as they were sent.
    pub(crate) fn find<'t, 'p>(
        &'t self,
        method: &Method,
        path: &'p str,
    ) -> (Found<'t>, matchit::Params<'t, 'p>) {
        let Ok(matched) = self.router.at(path) else {
            return (Found::Nothing, matchit::Params::default());
        };
        // HEAD is GET without the body.
        let wanted = if method == Method::HEAD { &Method::GET } else { method };
        let mut rows = matched.value.rows.iter().map(|place| &self.rows[*place]);
        let found = match rows.find(|row| row.route.method == *wanted) {
            Some(row) => Found::Row(row),
            None if method == Method::OPTIONS => Found::Options(matched.value),
            None => Found::OtherMethods(matched.value),
        };
        (found, matched.params)
    }
}

impl Row {
    fn new(route: Route, metrics: &Metrics) -> Self {
        // Describing all rows would be half of the time that a server takes to start.
        let mut operation = Operation::default();
        if route.cached {
            (route.describe)(&mut operation, &mut Schemas::default());
        }
        Self {
            segment: Segment::of(route.path),
            metrics: metrics.row(route.method.as_str(), route.path),
            query_names: operation.parameter_names("query"),
            route,
        }
    }
}

fn allow<'m>(methods: impl Iterator<Item = &'m Method>) -> HeaderValue {
    let mut names: Vec<&str> = methods.map(Method::as_str).collect();
    if names.contains(&"GET") {
        names.push("HEAD");
    }
    names.push("OPTIONS");
    HeaderValue::from_str(&names.join(", ")).unwrap_or(HeaderValue::from_static("OPTIONS"))
}
