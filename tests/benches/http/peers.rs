//! What the shop is held against: the least that could answer the same.

use std::cell::RefCell;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rusqlite::{Connection, params};
use serde_json::value::RawValue;
use tokio::net::TcpListener;

/// A bare hyper server: a router, the headers of a catalogue answer, and ready bytes.
pub(crate) async fn bare(body: Vec<u8>) {
    let body = Bytes::from(body);
    let mut router = matchit::Router::new();
    for path in ["/api/products", "/api/products/search", "/api/products/{slug}", "/api/orders"] {
        router.insert(path, ()).expect("a path");
    }
    let router = std::sync::Arc::new(router);
    serve(move |request| {
        let known = router.at(request.uri().path()).is_ok();
        answer(if known { body.clone() } else { Bytes::new() })
    })
    .await;
}

/// hyper and rusqlite and nothing between them: the same page and the same product read with the
/// plainest statements, on the thread that serves.
pub(crate) async fn inline(file: PathBuf) {
    serve(move |request| {
        answer(Bytes::from(with_connection(&file, |conn| {
            match request.uri().path().strip_prefix("/api/products/") {
                Some(slug) => detail(conn, slug),
                None => list(conn),
            }
        })))
    })
    .await;
}

async fn serve(
    respond: impl Fn(&Request<hyper::body::Incoming>) -> Response<Full<Bytes>>
    + Clone
    + Send
    + Sync
    + 'static,
) {
    listen(move |request| std::future::ready(respond(&request))).await;
}

/// Serves on a free port, which it prints.
pub(crate) async fn listen<F>(
    respond: impl Fn(Request<hyper::body::Incoming>) -> F + Clone + Send + Sync + 'static,
) where
    F: Future<Output = Response<Full<Bytes>>> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    println!("{}", listener.local_addr().expect("an address").port());
    loop {
        let (stream, _) = listener.accept().await.expect("accepts");
        stream.set_nodelay(true).expect("an option");
        let respond = respond.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let response = respond(request);
                async move { Ok::<_, Infallible>(response.await) }
            });
            let http = hyper::server::conn::http1::Builder::new();
            drop(http.serve_connection(TokioIo::new(stream), service).await);
        });
    }
}

pub(crate) fn answer(body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    headers.insert(ETAG, HeaderValue::from_static("\"9f86d081884c7d65\""));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=0, must-revalidate"));
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn with_connection<T>(file: &Path, read: impl FnOnce(&Connection) -> T) -> T {
    thread_local!(static CONN: RefCell<Option<Connection>> = const { RefCell::new(None) });
    CONN.with_borrow_mut(|conn| read(conn.get_or_insert_with(|| connect(file))))
}

pub(crate) fn connect(file: &Path) -> Connection {
    let conn = Connection::open(file).expect("opens");
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 10000;
         PRAGMA cache_size = -16384;",
    )
    .expect("pragmas");
    conn.set_prepared_statement_cache_capacity(64);
    conn
}

#[derive(serde::Serialize)]
struct Summary {
    id: String,
    name: String,
    slug: String,
    price: f64,
    stock: i64,
    category: [Option<String>; 3],
    images: Box<RawValue>,
    reviews: i64,
}

fn list(conn: &Connection) -> Vec<u8> {
    let mut statement = conn
        .prepare_cached(
            "SELECT p.id, p.name, p.slug, p.price, s.quantity, c.id, c.name, c.slug, p.images,
                    p.review_count
             FROM product p JOIN stock s ON s.item_id = p.id LEFT JOIN category c ON c.id = p.category_id
             WHERE p.active = 1 ORDER BY p.pk DESC LIMIT 20",
        )
        .expect("a statement");
    let rows = statement.query_map([], |row| {
        Ok(Summary {
            id: row.get(0)?,
            name: row.get(1)?,
            slug: row.get(2)?,
            price: row.get::<_, i64>(3)? as f64 / 100.0,
            stock: row.get(4)?,
            category: [row.get(5)?, row.get(6)?, row.get(7)?],
            images: RawValue::from_string(row.get(8)?).expect("JSON"),
            reviews: row.get(9)?,
        })
    });
    let rows: Vec<Summary> = rows.expect("rows").collect::<Result<_, _>>().expect("rows");
    serde_json::to_vec(&rows).expect("JSON")
}

fn detail(conn: &Connection, slug: &str) -> Vec<u8> {
    let read = |sql: &str, id: &str| -> Vec<Vec<String>> {
        let mut statement = conn.prepare_cached(sql).expect("a statement");
        let columns = statement.column_count();
        let rows = statement.query_map([id], |row| {
            (0..columns)
                .map(|i| row.get::<_, Option<String>>(i).map(Option::unwrap_or_default))
                .collect()
        });
        rows.expect("rows").collect::<Result<_, _>>().expect("rows")
    };
    let product = read(
        "SELECT p.id, p.name, p.description, p.images, CAST(p.price AS TEXT), c.name
         FROM product p LEFT JOIN category c ON c.id = p.category_id WHERE p.slug = ?1",
        slug,
    );
    let id = product[0][0].clone();
    let stock = read("SELECT CAST(quantity AS TEXT) FROM stock WHERE item_id = ?1", &id);
    let variants = read(
        "SELECT v.id, CAST(v.price AS TEXT), v.sku, o.value, t.name FROM variant v
         LEFT JOIN variant_value x ON x.variant_id = v.id
         LEFT JOIN variant_option o ON o.id = x.variant_option_id
         LEFT JOIN variant_type t ON t.id = o.variant_type_id WHERE v.product_id = ?1",
        &id,
    );
    let reviews = read(
        "SELECT id, title, body, author FROM review WHERE product_id = ?1 AND status = 'approved'
         ORDER BY created_at DESC LIMIT 50",
        &id,
    );
    serde_json::to_vec(&(product, stock, variants, reviews)).expect("JSON")
}

/// Durable orders a second by plain rusqlite, one commit an order, on one connection: the rows
/// that an order of two items writes.
pub(crate) fn plain_orders(file: &Path, length: Duration) -> f64 {
    let conn = connect(file);
    let (account, items) = account_and_items(&conn);
    let first = first_order(&conn);
    let start = Instant::now();
    let mut n = first;
    while start.elapsed() < length {
        conn.execute_batch("BEGIN IMMEDIATE").expect("begins");
        plain_order(&conn, &account, n, &items).expect("an order");
        conn.execute_batch("COMMIT").expect("commits");
        n += 1;
    }
    (n - first) as f64 / start.elapsed().as_secs_f64()
}

/// Who orders, and what there is to order.
pub(crate) fn account_and_items(conn: &Connection) -> (String, Vec<String>) {
    let items: Vec<String> = conn
        .prepare("SELECT item_id FROM stock WHERE quantity > 1000 LIMIT 1000")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .expect("items");
    let account = conn.query_row("SELECT id FROM account LIMIT 1", [], |row| row.get(0));
    (account.expect("an account"), items)
}

/// A number that no order of the file has.
pub(crate) fn first_order(conn: &Connection) -> i64 {
    conn.query_row("SELECT count(*) FROM orders", [], |row| row.get(0)).expect("a count")
}

pub(crate) fn plain_order(
    conn: &Connection,
    account: &str,
    n: i64,
    items: &[String],
) -> rusqlite::Result<()> {
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
        conn.prepare_cached(sql).and_then(|mut statement| statement.execute(values)).map(drop)
    };
    let id = format!("plain-{n:032}");
    let payload = "x".repeat(900);
    run(
        "INSERT INTO order_day (day, last) VALUES ('plain', 1)
         ON CONFLICT (day) DO UPDATE SET last = last + 1",
        &[],
    )?;
    run(
        "INSERT INTO orders (id, number, account_id, address_id, address, subtotal, shipping,
           discount, total, status, created_at, updated_at)
         VALUES (?1, ?1, ?2, ?1, ?3, 1, 1, 0, 2, 'PENDING', ?4, ?4)",
        params![id, account, &payload[..200], n],
    )?;
    for k in 0..2_u32 {
        let item = &items[(usize::try_from(n).expect("a count") * 7 + k as usize) % items.len()];
        run(
            "UPDATE stock SET quantity = quantity - 1, sold = sold + 1
             WHERE item_id = ?1 AND quantity >= 1",
            params![item],
        )?;
        run(
            "INSERT INTO stock_movement (item_id, delta, reason, source, reference, created_at)
             VALUES (?1, -1, 'PURCHASE', 'ORDER', ?2, ?3)",
            params![item, id, n],
        )?;
        run(
            "INSERT INTO order_item (order_id, position, product_id, item_id, quantity, price,
               total, name, weight_grams)
             VALUES (?1, ?2, ?3, ?3, 1, 1, 1, 'Vela', 300)",
            params![id, k, item],
        )?;
    }
    for _ in 0..2 {
        run(
            "INSERT INTO event (name, payload, created_at) VALUES ('order.created', ?1, ?2)",
            params![payload, n],
        )?;
    }
    Ok(())
}
