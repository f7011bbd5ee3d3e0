//! Every operation that writes, with what it needs.

use std::io::Cursor;
use std::sync::Arc;

use serde_json::json;
use shop_core::account::ExternalCustomer;
use shop_core::actor::Actor;
use shop_core::cart::GuestToken;
use shop_core::catalog::{ImportProducts, NewVariant, PictureFiles, VariantType};
use shop_core::order::OrderStatus;
use shop_core::site::SitePage;

use super::{Call, Prepare};
use crate::core::fixture::{input, order_of};

/// Each operation under its name: what is made before it, and the call.
macro_rules! operations {
    ($($name:literal ($stage:ident) { $($before:tt)* } => $call:expr;)+) => {
        #[expect(clippy::async_yields_async, reason = "what waits is polled and dropped elsewhere")]
        pub(super) const ALL: &[(&str, Prepare)] = &[$((
            $name,
            |$stage| Box::pin(async move {
                $($before)*
                let call: Call<'_> = Box::pin(async move { $call.await.map(drop) });
                call
            }),
        )),+];
    };
}

const BY: &Actor = &Actor::System;

operations! {
    "accounts.register" (s) { let name = s.name(); } =>
        s.test.shop.accounts().register(input(json!({ "name": name,
            "email": format!("{name}@example.com"), "password": "segredo-123" })));
    "accounts.create_admin" (s) { let name = s.name(); } =>
        s.test.shop.accounts().create_admin(input(json!({ "name": name,
            "email": format!("{name}@example.com"), "password": "segredo-123" })));
    "accounts.update" (s) { } =>
        s.test.shop.accounts().update(&s.ana.id, input(json!({ "name": "Ana Souza" })));
    "accounts.change_password" (s) { let buyer = s.test.buyer(&s.name()).await; } =>
        s.test.shop.accounts().change_password(&buyer.id, input(json!({
            "currentPassword": "segredo-123", "newPassword": "segredo-124" })));
    "accounts.erase" (s) { let buyer = s.test.buyer(&s.name()).await; } =>
        s.test.shop.accounts().erase(&buyer.id, input(json!({ "password": "segredo-123" })));
    "addresses.create" (s) {
        let home = json!({ "label": "Casa", "street": "Rua", "number": "1", "district": "Centro",
            "city": "São Paulo", "state": "SP", "zipCode": "01001000" });
        let buyer = s.test.buyer(&s.name()).await;
    } => s.test.shop.addresses().create(&buyer.id, input(home));
    "addresses.update" (s) { } =>
        s.test.shop.addresses().update(&s.ana.id, &s.ana.address, input(json!({ "number": "2" })));
    "addresses.delete" (s) { let buyer = s.test.buyer(&s.name()).await; } =>
        s.test.shop.addresses().delete(&buyer.id, &buyer.address);
    "api_keys.create" (s) { } =>
        s.test.shop.api_keys().create(BY, input(json!({ "name": "ERP", "scopes": ["orders:read"] })));
    "api_keys.revoke" (s) {
        let new = input(json!({ "name": "ERP", "scopes": ["orders:read"] }));
        let key = s.test.shop.api_keys().create(BY, new).await.expect("a key").key;
    } => s.test.shop.api_keys().revoke(BY, &key.id);
    "carts.add" (s) {
        let (buyer, product) = (s.test.buyer(&s.name()).await, s.product().await);
    } => s.test.add_to_cart(&buyer, &product, 2);
    "carts.clear" (s) {
        let (buyer, product) = (s.test.buyer(&s.name()).await, s.product().await);
        s.test.add_to_cart(&buyer, &product, 2).await.expect("a cart");
    } => s.test.shop.carts().clear(&buyer.id);
    "carts.remove" (s) {
        let (buyer, product) = (s.test.buyer(&s.name()).await, s.product().await);
        let line = s.test.add_to_cart(&buyer, &product, 2).await.expect("a cart").items.remove(0);
    } => s.test.shop.carts().remove(&buyer.id, &line.id);
    "categories.create" (s) { let name = s.name(); } =>
        s.test.shop.categories().create(BY, input(json!({ "name": name })));
    "categories.delete" (s) {
        let new = input(json!({ "name": s.name() }));
        let made = s.test.shop.categories().create(BY, new).await.expect("a category");
    } => s.test.shop.categories().delete(BY, &made.id, None);
    "products.create" (s) { let name = s.name(); } =>
        s.test.shop.products().create(BY, input(json!({ "name": name, "slug": name, "price": 10,
            "stock": 5, "variants": [{ "price": 10, "stock": 3,
                "values": [{ "variantType": format!("Tipo {name}"), "value": "P" }] }] })),
            Some(name.parse().expect("a key")));
    "products.update" (s) { let product = s.product().await; } =>
        s.test.shop.products().update(BY, &product, input(json!({ "price": 11, "stock": 3 })), None);
    "products.copy" (s) { let product = s.product().await; } =>
        s.test.shop.products().copy(BY, &product);
    "products.delete" (s) { let product = s.product().await; } =>
        s.test.shop.products().delete(BY, &product, None);
    "products.bulk" (s) { let ids = [s.product().await, s.product().await]; } =>
        s.test.shop.products().bulk(BY, input(json!({ "ids": ids, "action": "delete" })));
    "variant_types.create" (s) { let name = s.name(); } =>
        s.test.shop.variant_types().create(BY, input(json!({ "name": name, "slug": name })));
    "variant_types.delete" (s) {
        let new = { let name = s.name(); input(json!({ "name": name, "slug": name })) };
        let made = s.test.shop.variant_types().create(BY, new).await.expect("a kind");
    } => s.test.shop.variant_types().delete(BY, &made.id, None);
    "coupons.create" (s) { let code = s.name(); } =>
        s.test.shop.coupons().create(BY, input(json!({ "code": code, "type": "FIXED", "value": 5,
            "active": true })));
    "coupons.delete" (s) {
        let new = json!({ "code": s.name(), "type": "FIXED", "value": 5, "active": true });
        let made = s.test.shop.coupons().create(BY, input(new)).await.expect("a coupon");
    } => s.test.shop.coupons().delete(BY, &made.id, None);
    "stock.set" (s) { let product = s.product().await; } =>
        s.test.shop.stock().set(BY, &product, None, 3.try_into().expect("units"), None);
    "stock.count" (s) { let product = s.product().await; } =>
        s.test.shop.stock().count(BY, product.as_str(), 3.try_into().expect("units"), None);
    "stock.update" (s) { let product = s.product().await; } =>
        s.test.shop.stock().update(BY, product.as_str(), 3.try_into().expect("units"), None);
    "newsletter.subscribe" (s) { let email = format!("{}@example.com", s.name()); } =>
        s.test.shop.newsletter().subscribe(input(json!({ "email": email })));
    "newsletter.unsubscribe" (s) {
        let email = format!("{}@example.com", s.name());
        let reader = input(json!({ "email": email }));
        s.test.shop.newsletter().subscribe(reader).await.expect("a reader");
        let email = email.parse().expect("an address");
    } => s.test.shop.newsletter().unsubscribe(&email);
    "orders.place" (s) { let (product, code) = (s.product().await, s.name());
        let new = json!({ "code": code, "type": "FIXED", "value": 5, "active": true });
        s.test.shop.coupons().create(BY, input(new)).await.expect("a coupon");
        let mut order = order_of(&s.ana, json!([{ "productId": product, "quantity": 2 }]));
        order.coupon_code = Some(code.parse().expect("a code"));
    } => s.test.shop.orders().place(&s.ana.id, order, Some(code.parse().expect("a key")));
    "orders.add_note" (s) { let order = s.order().await; } =>
        s.test.shop.orders().add_note(BY, &order.id, input(json!({ "note": "Frágil" })));
    "orders.set_status (cancelled)" (s) { let order = s.order().await; } =>
        s.test.shop.orders().set_status(&order.id, OrderStatus::Cancelled, None);
    "orders.set_status (delivered)" (s) { let order = s.paid().await; } =>
        s.test.shop.orders().set_status(&order.id, OrderStatus::Delivered, None);
    "payments.create_pix" (s) { let order = s.order().await; } =>
        s.test.shop.payments().create_pix(&s.ana.id, &order.id, None);
    "payments.create_intent" (s) { let order = s.order().await; } =>
        s.test.shop.payments().create_intent(&s.ana.id, &order.id, None);
    "payments.receive_notice" (s) { let order = s.order().await;
        let pix = s.test.shop.payments().create_pix(&s.ana.id, &order.id, None).await;
        let notice = s.test.shop.sandbox().settle(&pix.expect("a code").payment_id).await;
        let notice = notice.expect("a notice");
    } => s.test.shop.payments().receive_notice(notice);
    "payments.reconcile" (s) { let order = s.order().await;
        let pix = s.test.shop.payments().create_pix(&s.ana.id, &order.id, None).await;
        s.test.shop.sandbox().settle(&pix.expect("a code").payment_id).await.expect("paid");
    } => s.test.shop.payments().reconcile(&order.id);
    "payments.record" (s) { let order = s.order().await; } =>
        s.test.shop.payments().record(BY, &order.id, input(json!({ "method": "CASH" })), None);
    "payments.refund (a part)" (s) { let order = s.paid().await; } =>
        s.test.shop.payments().refund(BY, &order.id, input(json!({ "amount": 10 })), None);
    "payments.refund" (s) { let order = s.paid().await; } =>
        s.test.shop.payments().refund(BY, &order.id, input(json!({})), None);
    "returns.request" (s) { let order = s.paid().await; } =>
        s.test.shop.returns().request(&s.ana.id, &order.id, input(json!({})), None);
    "returns.open" (s) { let order = s.paid().await; } =>
        s.test.shop.returns().open(BY, input(json!({ "orderId": order.id })), None);
    "returns.cancel_by_customer" (s) { let of = s.returned().await; } =>
        s.test.shop.returns().cancel_by_customer(&s.ana.id, &of.order_id, &of.id, None);
    "returns.mark_in_transit" (s) { let of = s.returned().await; } =>
        s.test.shop.returns().mark_in_transit(BY, &of.id, input(json!({})), None, None);
    "returns.receive" (s) { let of = s.returned().await; } =>
        s.test.shop.returns().receive(BY, &of.id, input(json!({})), None, None);
    "returns.refund" (s) { let of = s.returned().await; } =>
        s.test.shop.returns().refund(BY, &of.id, input(json!({})), None, None);
    "customers.set_active" (s) { let buyer = s.test.buyer(&s.name()).await; } =>
        s.test.shop.customers().set_active(BY, &buyer.id, input(json!({ "active": false })), None);
    "customers.export_person" (s) { } =>
        s.test.shop.customers().export_person(BY, &s.ana.id);
    "shipping.create_tariff" (s) { } =>
        s.test.shop.shipping().create_tariff(BY, input(json!({ "name": "PAC", "states": ["AC"],
            "price": 20, "estimatedDays": 5 })));
    "shipping.delete_tariff" (s) {
        let new = json!({ "name": "PAC", "states": ["AC"], "price": 20, "estimatedDays": 5 });
        let made = s.test.shop.shipping().create_tariff(BY, input(new)).await.expect("a tariff");
    } => s.test.shop.shipping().delete_tariff(BY, &made.id, None);
    "reviews.create" (s) { let order = s.paid().await;
        let product = s.test.shop.products().get(&order.items[0].product_id).await.expect("there");
        s.test.shop.orders().set_status(&order.id, OrderStatus::Delivered, None).await.expect("set");
    } => s.test.shop.reviews().create(&s.ana.id, product.slug.as_str(),
            input(json!({ "rating": 5, "body": "Ótima" })));
    "webhooks.create" (s) { } =>
        s.test.shop.webhooks().create(BY, input(json!({ "url": "https://exemplo.com/x",
            "secret": "segredo-do-erp", "events": ["order.created"] })));
    "wishlists.add" (s) { let product = s.product().await; } =>
        s.test.shop.wishlists().add(&s.ana.id, &product);
    "wishlists.remove" (s) { let product = s.product().await;
        s.test.shop.wishlists().add(&s.ana.id, &product).await.expect("a wish");
    } => s.test.shop.wishlists().remove(&s.ana.id, &product);
    "accounts.ensure" (s) { let (name, key) = (s.name(), s.name().parse().expect("a key"));
        let email = format!("{name}@example.com").parse().expect("an address");
        let customer = ExternalCustomer::new(name.parse().expect("a name"), email);
    } => s.test.shop.accounts().ensure(&key, customer);
    "accounts.link" (s) {
        let (buyer, key) = (s.test.buyer(&s.name()).await, s.name().parse().expect("a key"));
    } => s.test.shop.accounts().link(BY, &key, &buyer.id);
    "accounts.set_admin_active" (s) { let (_other, rita) = (s.admin().await, s.admin().await); } =>
        s.test.shop.accounts().set_admin_active(BY, &rita.id, input(json!({ "active": false })));
    "accounts.set_admin_password" (s) { let rita = s.admin().await; } =>
        s.test.shop.accounts().set_admin_password(BY, &rita.id,
            "segredo-124".parse().expect("a password"));
    "accounts.forgot_password" (s) { let name = s.name(); s.test.buyer(&name).await; } =>
        s.test.shop.accounts().forgot_password(input(json!({
            "email": format!("{name}@example.com") })));
    "sessions.log_in (staff)" (s) { let rita = s.admin().await; } =>
        s.test.shop.sessions().log_in(input(json!({ "email": rita.email,
            "password": "segredo-123" })));
    "two_factor.begin" (s) { let rita = s.admin().await; } =>
        s.test.shop.two_factor().begin(&rita.id, input(json!({ "currentPassword": "segredo-123" })));
    "carts.merge" (s) {
        let (buyer, product) = (s.test.buyer(&s.name()).await, s.product().await);
        let guest = GuestToken::generate().expect("a token");
        let line = input(json!({ "productId": product, "quantity": 2 }));
        s.test.shop.carts().add(&guest, line).await.expect("a cart");
    } => s.test.shop.carts().merge(&guest, &buyer.id);
    "carts.set_quantity" (s) {
        let (buyer, product) = (s.test.buyer(&s.name()).await, s.product().await);
        let line = s.test.add_to_cart(&buyer, &product, 2).await.expect("a cart").items.remove(0);
    } => s.test.shop.carts().set_quantity(&buyer.id, &line.id, input(json!({ "quantity": 3 })));
    "categories.update" (s) {
        let new = input(json!({ "name": s.name() }));
        let made = s.test.shop.categories().create(BY, new).await.expect("a category");
    } => s.test.shop.categories().update(BY, &made.id, input(json!({ "active": false })), None);
    "coupons.update" (s) {
        let new = json!({ "code": s.name(), "type": "FIXED", "value": 5, "active": true });
        let made = s.test.shop.coupons().create(BY, input(new)).await.expect("a coupon");
    } => s.test.shop.coupons().update(BY, &made.id, input(json!({ "active": false })), None);
    "products.import_csv" (s) {
        let file = Cursor::new(format!("slug,name,price,stock\n{},Vela,10,3\n", s.name()));
    } => s.test.shop.products().import_csv(BY, file, ImportProducts::default(), Arc::new(()));
    "products.import_csv_with_pictures" (s) {
        let file = Cursor::new(format!("slug,name,price,stock\n{},Vela,10,3\n", s.name()));
    } => s.test.shop.products().import_csv_with_pictures(
            BY, file, ImportProducts::default(), PictureFiles::new(), Arc::new(()));
    "products.create_variant" (s) { let (product, kind) = (s.product().await, s.kind().await); } =>
        s.test.shop.products().create_variant(BY, &product, variant_of(&kind));
    "products.update_variant" (s) { let (product, kind) = (s.product().await, s.kind().await);
        let made = s.test.shop.products().create_variant(BY, &product, variant_of(&kind)).await;
        let made = made.expect("a variant");
    } => s.test.shop.products().update_variant(BY, &product, &made.id,
            input(json!({ "stock": 7 })), None);
    "products.delete_variant" (s) { let (product, kind) = (s.product().await, s.kind().await);
        let made = s.test.shop.products().create_variant(BY, &product, variant_of(&kind)).await;
        let made = made.expect("a variant");
    } => s.test.shop.products().delete_variant(BY, &product, &made.id, None);
    "variant_types.update" (s) { let (kind, name) = (s.kind().await, s.name()); } =>
        s.test.shop.variant_types().update(BY, &kind.id, input(json!({ "name": name })), None);
    "variant_types.create_option" (s) { let kind = s.kind().await; } =>
        s.test.shop.variant_types().create_option(BY, &kind.id, input(json!({ "value": "G" })));
    "variant_types.update_option" (s) { let kind = s.kind().await; } =>
        s.test.shop.variant_types().update_option(BY, &kind.id, &kind.options[0].id,
            input(json!({ "value": "M" })), None);
    "variant_types.delete_option" (s) { let kind = s.kind().await; } =>
        s.test.shop.variant_types().delete_option(BY, &kind.id, &kind.options[0].id, None);
    "stock.apply" (s) { let product = s.product().await;
        let set = json!({ "type": "set", "productId": product, "stock": 7 });
    } => s.test.shop.stock().apply(BY, input(set), None);
    "orders.place_for" (s) { let product = s.product().await;
        let order = order_of(&s.ana, json!([{ "productId": product, "quantity": 2 }]));
    } => s.test.shop.orders().place_for(BY, &s.ana.id, order, None);
    "orders.update" (s) { let order = s.paid().await; } =>
        s.test.shop.orders().update(BY, &order.id, input(json!({ "status": "SHIPPED",
            "trackingCode": "BR123456789BR" })), None);
    "payments.pay_by_card" (s) { let order = s.order().await; } =>
        s.test.shop.payments().pay_by_card(&s.ana.id, input(json!({ "orderId": order.id,
            "token": "tok_approved", "paymentMethodId": "visa", "installments": 1 })), None);
    "reviews.moderate" (s) { let review = s.review().await; } =>
        s.test.shop.reviews().moderate(BY, &review, true, None);
    "reviews.delete" (s) { let review = s.review().await; } =>
        s.test.shop.reviews().delete(BY, &review, None);
    "notifications.mark_all_read" (s) { s.paid().await; } =>
        s.test.shop.notifications().mark_all_read(&s.ana.id);
    "contact_form.send" (s) { } =>
        s.test.shop.contact_form().send(input(json!({ "name": "Ana", "email": "ana@example.com",
            "subject": "Velas", "message": "Quando chegam?" })));
    "shipping.update_tariff" (s) {
        let new = json!({ "name": "PAC", "states": ["AC"], "price": 20, "estimatedDays": 5 });
        let made = s.test.shop.shipping().create_tariff(BY, input(new)).await.expect("a tariff");
    } => s.test.shop.shipping().update_tariff(BY, &made.id, input(json!({ "price": 21 })), None);
    "site.publish" (s) { let page = input(json!({ "data": { "title": s.name() } })); } =>
        s.test.shop.site().publish(BY, SitePage::Home, page, None);
    "site.update_analytics" (s) { let id = s.name(); } =>
        s.test.shop.site().update_analytics(BY, input(json!({ "webAnalyticsId": id })), None);
    "webhooks.update" (s) { let made = s.webhook().await; } =>
        s.test.shop.webhooks().update(BY, &made, input(json!({ "active": false })), None);
    "webhooks.delete" (s) { let made = s.webhook().await; } =>
        s.test.shop.webhooks().delete(BY, &made, None);
}

/// A variant of the first option of a kind.
fn variant_of(kind: &VariantType) -> NewVariant {
    input(json!({ "price": 10, "stock": 3,
        "values": [{ "variantOptionId": kind.options[0].id }] }))
}
