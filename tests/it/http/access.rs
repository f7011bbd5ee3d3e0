//! Every path of the server with its methods and the callers that it admits, written by hand from
//! the specification and the decisions (docs/decisions.md), section by section. Nothing here is
//! read from the server, so a row of its table that lets the wrong callers in fails.

use hyper::Method;
use shop_core::api_key::Scope;

/// Which callers a row admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// Every caller.
    Anybody,
    /// A payment provider, by its signature.
    Provider,
    /// A session, or a guest where the setting `carts.guests` is on.
    Cart,
    /// A session of any role.
    Session,
    /// A session of any role, or the link to that one order.
    Order,
    /// A session of a customer.
    Customer,
    /// A session of an admin.
    Admin,
    /// A key with the scope.
    Key(Scope),
    /// Every caller; a key that is sent must have the scope.
    AnybodyOrKey(Scope),
    /// A session of any role, or a key with the scope.
    SessionOrKey(Scope),
}

/// A row of the table.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) who: Who,
}

impl Row {
    /// Whether a caller must show something to be let in.
    pub(super) fn is_closed(&self) -> bool {
        !matches!(self.who, Who::Anybody | Who::AnybodyOrKey(_) | Who::Cart)
    }

    /// Whether a session counts.
    pub(super) fn is_by_session(&self) -> bool {
        use Who::{Admin, Cart, Customer, Order, Session, SessionOrKey};
        matches!(self.who, Cart | Session | Order | Customer | Admin | SessionOrKey(_))
    }

    /// The only role whose session counts, if one is.
    pub(super) fn role(&self) -> Option<&'static str> {
        match self.who {
            Who::Customer => Some("CUSTOMER"),
            Who::Admin => Some("ADMIN"),
            _ => None,
        }
    }

    /// The scope that a key must have, where keys count.
    pub(super) fn scope(&self) -> Option<Scope> {
        match self.who {
            Who::Key(scope) | Who::AnybodyOrKey(scope) | Who::SessionOrKey(scope) => Some(scope),
            _ => None,
        }
    }
}

/// All rows.
pub(super) fn rows() -> Vec<Row> {
    let of_line = |who: Who, line: &'static str| -> Vec<Row> {
        let (methods, path) = line.trim().rsplit_once(' ').expect("methods and a path");
        let row = |method: &str| Row { method: method.parse().expect("a method"), path, who };
        methods.split_whitespace().map(row).collect()
    };
    let of_list = |(who, list): (Who, &'static str)| {
        list.trim().lines().flat_map(move |line| of_line(who, line)).collect::<Vec<_>>()
    };
    let lists = [
        (Who::Anybody, ANYBODY),
        (Who::Provider, PROVIDER),
        (Who::Cart, CART),
        (Who::Session, SESSION),
        (Who::Order, ORDER),
        (Who::Customer, CUSTOMER),
        (Who::Admin, ADMIN),
        (Who::AnybodyOrKey(Scope::ProductsRead), "GET /api/products"),
        (Who::SessionOrKey(Scope::OrdersRead), "GET /api/orders"),
        (Who::Key(Scope::ProductsRead), PRODUCTS_READ),
        (Who::Key(Scope::ProductsWrite), PRODUCTS_WRITE),
        (Who::Key(Scope::StockWrite), STOCK_WRITE),
        (Who::Key(Scope::OrdersRead), ORDERS_READ),
        (Who::Key(Scope::OrdersWrite), "PATCH /api/v1/orders/{id}"),
    ];
    lists.into_iter().flat_map(of_list).collect()
}

const ANYBODY: &str = "
    POST     /api/auth/register
    POST     /api/auth/login
    POST     /api/auth/logout
    POST     /api/auth/forgot-password
    POST     /api/auth/reset-password
    POST     /api/auth/guest
    POST     /api/auth/guest/password
    GET      /api/products/search
    GET      /api/products/{slug}
    GET      /api/products/{slug}/reviews
    GET      /api/categories
    GET      /api/shipping/calculate
    GET      /api/shipping/cep/{cep}
    GET      /api/shipping/melhor-envio/callback
    GET POST /api/webhooks/melhor-envio
    POST     /api/coupons/validate
    POST     /api/newsletter/subscribe
    GET POST /api/newsletter/unsubscribe
    GET POST /api/newsletter/unsubscribe/link
    POST     /api/contact
    GET      /api/settings
    GET      /api/openapi.json
    GET      /docs
    GET      /docs/{name}
    GET      /uploads/{name}
    GET      /healthz
    GET      /readyz
    GET      /metrics";

const PROVIDER: &str = "
    POST /api/payments/provider1/webhook
    POST /api/payments/provider2/webhook";

const CART: &str = "
    GET DELETE   /api/cart
    POST         /api/cart/items
    PATCH DELETE /api/cart/items/{id}";

const SESSION: &str = "
    GET PUT DELETE /api/auth/me
    PATCH          /api/auth/me/password
    GET POST       /api/user/addresses
    PATCH DELETE   /api/user/addresses/{id}
    GET POST       /api/user/wishlist
    DELETE         /api/user/wishlist/{productId}
    GET            /api/user/notifications
    PATCH          /api/user/notifications/{id}
    POST           /api/user/notifications/read-all
    GET            /api/user/export";

const ORDER: &str = "
    GET      /api/orders/{id}
    GET      /api/orders/{id}/events
    POST     /api/orders/{id}/cancel
    GET      /api/orders/{id}/nfe/danfe
    GET      /api/orders/{id}/nfe/xml
    GET POST /api/orders/{id}/returns
    POST     /api/orders/{id}/returns/{returnId}/cancel
    POST     /api/payments/pix
    POST     /api/payments/provider1/card
    POST     /api/payments/provider2";

const CUSTOMER: &str = "
    POST /api/auth/guest/claim
    POST /api/orders
    POST /api/products/{slug}/reviews";

const ADMIN: &str = "
    GET POST         /api/admin/products
    POST             /api/admin/products/bulk
    GET              /api/admin/products/export
    POST             /api/admin/products/import
    GET PATCH DELETE /api/admin/products/{id}
    POST             /api/admin/products/{id}/clone
    GET PATCH        /api/admin/products/{id}/fiscal
    GET POST         /api/admin/products/{id}/variants
    PATCH DELETE     /api/admin/products/{id}/variants/{variantId}
    GET POST         /api/admin/categories
    PATCH DELETE     /api/admin/categories/{id}
    GET PATCH        /api/admin/categories/{id}/fiscal
    GET POST         /api/admin/variant-types
    PATCH DELETE     /api/admin/variant-types/{typeId}
    GET POST         /api/admin/variant-types/{typeId}/options
    PATCH DELETE     /api/admin/variant-types/{typeId}/options/{optionId}
    POST             /api/admin/upload
    GET              /api/admin/orders
    GET              /api/admin/orders/export
    GET PATCH        /api/admin/orders/{id}
    POST             /api/admin/orders/{id}/notes
    POST             /api/admin/orders/{id}/payments
    GET POST         /api/admin/orders/{id}/refunds
    GET POST         /api/admin/orders/{id}/shipments
    GET              /api/admin/shipments
    POST             /api/admin/shipments/bulk
    GET              /api/admin/shipments/labels
    GET              /api/admin/shipments/{id}
    POST             /api/admin/shipments/{id}/cancel
    POST             /api/admin/shipments/{id}/retry
    POST             /api/admin/shipments/{id}/track
    GET              /api/admin/shipping/label-provider
    GET POST         /api/admin/returns
    GET              /api/admin/returns/{returnId}
    POST             /api/admin/returns/{returnId}/approve
    POST             /api/admin/returns/{returnId}/reject
    POST             /api/admin/returns/{returnId}/cancel
    POST             /api/admin/returns/{returnId}/in-transit
    POST             /api/admin/returns/{returnId}/receive
    POST             /api/admin/returns/{returnId}/restock
    POST             /api/admin/returns/{returnId}/refund
    GET              /api/admin/orders/{id}/nfe
    GET              /api/admin/orders/{id}/nfe/check
    POST             /api/admin/orders/{id}/nfe/emitir
    POST             /api/admin/orders/{id}/nfe/cancelar
    POST             /api/admin/orders/{id}/nfe/correcao
    GET              /api/admin/orders/{id}/nfe/correcao/{number}/pdf
    POST             /api/admin/orders/{id}/nfe/inutilizar
    GET              /api/admin/orders/{id}/nfe/danfe
    GET              /api/admin/orders/{id}/nfe/xml
    POST             /api/admin/orders/{id}/nfe/devolucao
    GET              /api/admin/orders/{id}/nfe/devolucoes
    GET              /api/admin/nfe
    GET              /api/admin/nfe/devolucoes/{id}
    POST             /api/admin/nfe/devolucoes/{id}/emitir
    POST             /api/admin/nfe/devolucoes/{id}/cancelar
    POST             /api/admin/nfe/devolucoes/{id}/inutilizar
    GET              /api/admin/nfe/devolucoes/{id}/danfe
    GET              /api/admin/nfe/devolucoes/{id}/xml
    GET              /api/admin/nfe/export
    GET POST         /api/admin/coupons
    GET PATCH DELETE /api/admin/coupons/{id}
    GET              /api/admin/customers
    GET              /api/admin/customers/export
    GET              /api/admin/customers/{id}
    PATCH            /api/admin/customers/{id}/status
    GET              /api/admin/newsletter
    GET              /api/admin/reviews
    GET PATCH DELETE /api/admin/reviews/{id}
    GET              /api/admin/stock
    GET PATCH        /api/admin/stock/{productId}
    GET POST         /api/admin/shipping
    GET PATCH DELETE /api/admin/shipping/{id}
    GET              /api/admin/shipping/providers
    GET              /api/admin/shipping/melhor-envio
    GET              /api/admin/shipping/melhor-envio/connect
    DELETE           /api/admin/shipping/melhor-envio/connection
    GET POST         /api/admin/shipping/boxes
    GET              /api/admin/orders/labels/{kind}
    GET              /api/admin/orders/{id}/labels/{kind}
    GET PATCH DELETE /api/admin/shipping/boxes/{id}
    GET POST         /api/admin/webhooks
    GET PATCH DELETE /api/admin/webhooks/{id}
    POST             /api/admin/webhooks/{id}/test
    POST             /api/admin/webhooks/{id}/recover
    GET              /api/admin/webhooks/{id}/deliveries
    POST             /api/admin/webhooks/{id}/deliveries/{deliveryId}/redeliver
    GET POST         /api/admin/api-keys
    DELETE           /api/admin/api-keys/{id}
    GET              /api/admin/audit
    GET              /api/admin/dashboard
    GET              /api/admin/dashboard/stats
    GET              /api/admin/dashboard/tasks
    GET              /api/admin/orders/{id}/mails
    POST             /api/admin/mails/resend
    GET PATCH        /api/admin/settings/pagebuilder
    GET PATCH        /api/admin/settings/pagebuilder-about
    GET PATCH        /api/admin/settings/analytics
    PATCH            /api/admin/settings/change-password
    GET POST DELETE  /api/admin/settings/two-factor
    POST             /api/admin/settings/two-factor/confirm
    POST             /api/admin/settings/two-factor/recovery-codes
    GET DELETE       /api/admin/sessions
    DELETE           /api/admin/sessions/{id}";

const PRODUCTS_READ: &str = "
    GET /api/v1/products
    GET /api/v1/products/{id}";

const PRODUCTS_WRITE: &str = "
    POST         /api/products
    POST         /api/v1/products
    PATCH DELETE /api/v1/products/{id}
    POST         /api/v1/products/{id}/variants
    PATCH DELETE /api/v1/products/{id}/variants/{variantId}";

const STOCK_WRITE: &str = "
    PATCH /api/v1/products/{id}/stock
    POST  /api/webhooks/stock";

const ORDERS_READ: &str = "
    GET /api/v1/orders
    GET /api/v1/orders/{id}
    GET /api/v1/events";
