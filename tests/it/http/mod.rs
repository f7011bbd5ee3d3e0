//! Through HTTP: a real server in this process, on a free port, with a database of its own and a
//! clock that tests move.

mod access;
mod api_key;
mod back_office;
mod bad_input;
mod cache;
pub(crate) mod client;
mod conditional;
mod connection;
mod cookies;
mod cors;
mod coupon;
mod customer_area;
mod dashboard;
mod docs;
mod document;
mod empty_number;
mod facets;
mod flood;
#[cfg(target_os = "linux")]
mod full_disk;
mod guest;
mod guest_cart;
mod guest_link;
mod journey;
mod labels;
mod large_json;
mod mail;
mod melhor_envio;
mod metrics;
mod nfe;
mod nfe_return;
mod office;
mod order_admin;
mod order_cancel;
mod order_events;
mod other_notations;
mod own_order;
mod pages;
mod payment;
mod picture_memory;
mod privacy;
mod process;
mod product_admin;
mod product_file;
mod rate_limit;
mod restart;
mod returns;
mod review;
mod seller;
mod seo;
mod service;
mod session;
mod shipments;
mod shipping;
mod spans;
mod staff_session;
mod stock;
mod storefront;
mod system;
mod table;
mod tracking;
mod two_factor;
pub(crate) mod upload;
mod upload_png;
mod v1;
mod v1_write;
mod variant_admin;
mod webhook;

use std::net::SocketAddr;

use serde_json::json;
use shop_core::Config;
use shop_core::account::Register;
use shop_core::api_key::Scope;
use shop_core::clock::Timestamp;
use shop_server::ServeOptions;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use self::client::Client;
use crate::core::fixture::{TestShop, input};

/// A shop and the server in front of it.
pub(crate) struct TestServer {
    pub(crate) test: TestShop,
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    served: JoinHandle<std::io::Result<()>>,
}

/// The password of every account of these tests.
pub(crate) const PASSWORD: &str = "segredo-123";

impl TestServer {
    pub(crate) async fn start() -> Self {
        Self::start_with(|_| {}, ServeOptions::default()).await
    }

    pub(crate) async fn start_with(adapt: impl FnOnce(&mut Config), options: ServeOptions) -> Self {
        Self::serve(TestShop::with(adapt).await, options).await
    }

    /// A server whose clock stands at this instant.
    pub(crate) async fn start_at(start: Timestamp, adapt: impl FnOnce(&mut Config)) -> Self {
        Self::serve(TestShop::at(start, adapt).await, ServeOptions::default()).await
    }

    /// A server whose shop knows where browsers reach it.
    pub(crate) async fn start_at_its_address(adapt: impl FnOnce(&mut Config)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let test = TestShop::with(|config| {
            config.base_url = Some(origin);
            adapt(config);
        });
        Self::serve_on(listener, test.await, ServeOptions::default())
    }

    async fn serve(test: TestShop, options: ServeOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        Self::serve_on(listener, test, options)
    }

    fn serve_on(listener: TcpListener, test: TestShop, options: ServeOptions) -> Self {
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel();
        let shop = test.shop.clone();
        let served = tokio::spawn(async move {
            let shutdown = async { drop(stopped.await) };
            shop_server::serve(shop, listener, options, shutdown).await
        });
        Self { test, address, stop, served }
    }

    /// A caller without a session.
    pub(crate) fn anonymous(&self) -> Client {
        Client::new(self.address)
    }

    /// A customer's session. The account is made where there is none of this name.
    pub(crate) async fn customer(&self, name: &str) -> Client {
        let buyer = self.test.buyer(name).await;
        let client = self.anonymous().with_token(self.test.log_in(name).await);
        client.of(buyer)
    }

    /// An admin's session.
    pub(crate) async fn admin(&self) -> Client {
        let register: Register = input(json!({
            "name": "Equipe", "email": "equipe@example.com", "password": PASSWORD
        }));
        self.test.shop.accounts().create_admin(register).await.expect("an admin");
        self.anonymous().with_token(self.test.log_in("equipe").await)
    }

    /// A program with a key of these scopes.
    pub(crate) async fn program(&self, scopes: &[Scope]) -> Client {
        let raw = self.test.key(scopes).await.raw;
        self.anonymous().with_key(raw.reveal())
    }

    /// Tells the server to stop, and waits until it has.
    pub(crate) async fn stop(self) {
        self.stop.send(()).expect("the server runs");
        self.served.await.expect("no panic").expect("no error");
    }
}
