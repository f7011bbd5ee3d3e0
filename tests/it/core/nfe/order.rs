//! Invoices of orders: what is needed, what is answered, what is kept.

use roxmltree::Document;
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::config::Production;
use shop_core::error::{Conflict, Entity, Refusal};
use shop_core::invoicing::{InvoiceFilter, InvoiceStatus, WithdrawInvoice};
use shop_core::order::OrderStatus;
use shop_core::value::Text;
use shop_core::{Config, Error, Shop};

use super::office::{Fault, Office};
use super::read::{check_signature, element, text};
use super::{emit, paid, sold};
use crate::core::fixture::{TestShop, input};
use shop_core::order::Order;

async fn cancel(
    shop: &Shop,
    order: &Order,
) -> shop_core::Result<shop_core::invoicing::IssuedInvoice> {
    shop.invoices().cancel(&Actor::System, &order.id, WithdrawInvoice::default()).await
}

#[tokio::test]
async fn a_paid_order_gets_an_authorised_invoice_with_nothing_configured() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let invoice = emit(&test.shop, &order).await.expect("issued");
    assert_eq!(invoice.status, InvoiceStatus::Authorized);
    assert_eq!((invoice.number, invoice.series, invoice.total), (1, 1, order.total));
    assert_eq!(emit(&test.shop, &order).await.expect("issued"), invoice);
    assert_eq!(test.shop.invoices().get_by_order(&order.id).await.expect("there"), invoice);
    let xml = test.shop.invoices().get_xml(&order.id).await.expect("the XML");
    assert!(!xml.cancelled);
    let document = Document::parse(&xml.nfe_proc).expect("XML");
    check_signature(&document, "infNFe");
    let protocol = element(&document, "infProt");
    assert_eq!(text(protocol, "chNFe"), invoice.key.as_deref());
    assert_eq!(text(protocol, "nProt"), invoice.protocol.as_deref());
    assert_eq!(text(protocol, "digVal"), element(&document, "DigestValue").text());
    let item = element(&document, "prod");
    assert_eq!(text(item, "cProd"), Some("SKU-vela"));
    assert_eq!(text(item, "xProd"), Some("vela"));
    assert_eq!(text(item, "CFOP"), Some("5101"));
    let total = element(&document, "ICMSTot");
    assert_eq!(text(total, "vNF"), Some(&*order.total.to_string()));
    assert_eq!(text(element(&document, "pag"), "detPag/tPag"), Some("17"));
    let audited = "SELECT count(*) FROM audit WHERE action = 'nfe.emit'";
    assert_eq!(test.count(audited), 1);
}

#[tokio::test]
async fn only_a_paid_order_has_an_invoice() {
    let test = TestShop::open().await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 10, 4990).await);
    let order = test.buy(&buyer, &vela, 1).await.expect("placed");
    let refused = |error| matches!(error, Error::Refused(Refusal::OrderNotPaid));
    assert!(refused(emit(&test.shop, &order).await.expect_err("unpaid")));
    let order = test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    let status = async |to| test.shop.orders().set_status(&order.id, to, None).await;
    status(OrderStatus::Refunded).await.expect("set");
    assert!(refused(emit(&test.shop, &order).await.expect_err("refunded")));
    status(OrderStatus::Shipped).await.expect("set");
    assert_eq!(emit(&test.shop, &order).await.expect("issued").number, 1);
    let unknown = test.shop.invoices().emit(&Actor::System, &"nothing".into(), None).await;
    assert!(matches!(unknown, Err(Error::NotFound(Entity::Order))));
}

#[tokio::test]
async fn the_cpf_is_the_profiles_or_the_requests() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    let bare = async || shop.invoices().emit(&Actor::System, &order.id, None).await;
    let Err(Error::Invalid(wrong)) = bare().await else { panic!("issued without a CPF") };
    assert!(wrong.field_errors.contains_key("cpf"));
    assert_eq!(test.count("SELECT count(*) FROM nfe_series"), 0, "no number was used up");
    let profile = input(json!({ "cpf": "390.533.447-05" }));
    shop.accounts().update(&order.user_id, profile).await.expect("changed");
    bare().await.expect("issued");
    let xml = shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
    assert!(xml.contains("<CPF>39053344705</CPF>"));
}

#[tokio::test]
async fn the_sandbox_needs_no_cpf() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    test.shop.invoices().emit(&Actor::System, &order.id, None).await.expect("issued");
    let xml = test.shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
    assert!(xml.contains("<CPF>11144477735</CPF>"), "the CPF of tests");
}

#[tokio::test]
async fn recorded_money_and_none_at_all_have_their_codes() {
    let test = TestShop::open().await;
    test.raw_sql("UPDATE shipping_tariff SET price = 0");
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 10, 4990).await);
    let means = async |order: &Order| {
        emit(&test.shop, order).await.expect("issued");
        let xml = test.shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
        let document = Document::parse(&xml).expect("XML");
        let paid = element(&document, "detPag");
        let part = |name| text(paid, name).map(str::to_owned);
        (part("tPag"), part("xPag"), part("vPag"))
    };
    let total = Some("49.90".to_owned());
    for (method, code, name) in
        [("CASH", "01", None), ("TRANSFER", "18", None), ("OTHER", "99", Some("Outros"))]
    {
        let order = test.buy(&buyer, &vela, 1).await.expect("placed");
        let money = input(json!({ "method": method }));
        test.shop.payments().record(&Actor::System, &order.id, money, None).await.expect("paid");
        let expected = (Some(code.to_owned()), name.map(str::to_owned), total.clone());
        assert_eq!(means(&order).await, expected, "{method}");
    }
    let coupon = input(json!({ "code": "TUDO", "type": "PERCENT", "value": 100,
        "active": true }));
    let coupon = test.shop.coupons().create(&Actor::System, coupon).await.expect("a coupon");
    let items = json!([{ "productId": vela, "quantity": 1 }]);
    let free =
        input(json!({ "addressId": buyer.address, "cartItems": items, "couponId": coupon.id }));
    let free = test.place_order(&buyer, free, None).await.expect("placed").order;
    assert!(free.is_paid() && free.payment.method.is_none(), "{free:?}");
    let nothing = (Some("90".to_owned()), None, Some("0.00".to_owned()));
    assert_eq!(means(&free).await, nothing);
}

#[tokio::test]
async fn the_number_of_a_cancelled_invoice_is_not_made_invalid() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    emit(&test.shop, &order).await.expect("issued");
    cancel(&test.shop, &order).await.expect("cancelled");
    let why = WithdrawInvoice::default();
    let refused = test.shop.invoices().disable_number(&Actor::System, &order.id, why).await;
    let refused = refused.expect_err("cancelled");
    assert!(matches!(refused, Error::Conflict(Conflict::InvoiceCancelled)), "{refused:?}");
}

#[tokio::test]
async fn an_address_whose_city_nobody_knows_is_named() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    test.raw_sql(
        "UPDATE orders SET address = replace(replace(address, 'São Paulo', 'Nenhures'),
           '01001000', '20010020')",
    );
    let Err(Error::Invalid(wrong)) = emit(&test.shop, &order).await else { panic!("issued") };
    assert!(wrong.field_errors.contains_key("address.city"));
}

#[tokio::test]
async fn an_invoice_is_cancelled_once_and_kept() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    assert!(matches!(cancel(&test.shop, &order).await, Err(Error::NotFound(Entity::Invoice))));
    let first = emit(&test.shop, &order).await.expect("issued");
    let cancelled = cancel(&test.shop, &order).await.expect("cancelled");
    assert_eq!((cancelled.status, &cancelled.key), (InvoiceStatus::Cancelled, &first.key));
    assert_eq!(cancelled.cancelled_at, Some(test.shop.now()));
    assert_eq!(cancel(&test.shop, &order).await.expect("cancelled"), cancelled);
    let xml = test.shop.invoices().get_xml(&order.id).await.expect("the XML");
    assert!(xml.cancelled);
    assert_eq!(test.count("SELECT count(*) FROM audit WHERE action = 'nfe.cancel'"), 1);
    // The order may be invoiced anew, with a number of its own.
    let second = emit(&test.shop, &order).await.expect("issued");
    assert_eq!((second.status, second.number), (InvoiceStatus::Authorized, 2));
}

#[tokio::test]
async fn it_is_too_late_to_cancel_after_a_day_or_when_the_goods_have_left() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    emit(&test.shop, &order).await.expect("issued");
    let status = async |to| test.shop.orders().set_status(&order.id, to, None).await;
    status(OrderStatus::Shipped).await.expect("set");
    let left = cancel(&test.shop, &order).await.expect_err("shipped");
    assert!(matches!(left, Error::Conflict(Conflict::GoodsLeft)), "{left:?}");
    for closed in [OrderStatus::Refunded, OrderStatus::Cancelled] {
        status(closed).await.expect("set");
        let left = cancel(&test.shop, &order).await.expect_err("sent, and closed then");
        assert!(matches!(left, Error::Conflict(Conflict::GoodsLeft)), "{left:?}");
    }
    status(OrderStatus::Processing).await.expect("set");
    test.advance_hours(25);
    let late = cancel(&test.shop, &order).await.expect_err("too late");
    assert!(matches!(late, Error::Refused(Refusal::NfeRejected { code: 501, .. })), "{late:?}");
    let invoice = test.shop.invoices().get_by_order(&order.id).await.expect("there");
    assert_eq!((invoice.status, invoice.answer_code), (InvoiceStatus::Authorized, Some(501)));
}

#[tokio::test]
async fn the_number_of_an_invoice_that_will_not_be_is_made_invalid() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    let reason: Text<15, 255> = "Pedido cancelado pelo cliente".parse().expect("a reason");
    let why = || WithdrawInvoice { reason: Some(reason.clone()) };
    let disable = async || shop.invoices().disable_number(&Actor::System, &order.id, why()).await;
    assert!(matches!(disable().await, Err(Error::NotFound(Entity::Invoice))));
    office.next(Fault::Rejects(225));
    emit(&shop, &order).await.expect_err("rejected");
    let disabled = disable().await.expect("done");
    assert_eq!((disabled.status, disabled.number), (InvoiceStatus::Disabled, 1));
    assert_eq!(disable().await.expect("done"), disabled);
    assert_eq!(emit(&shop, &order).await.expect("issued").number, 2);
    let authorised = disable().await.expect_err("authorised");
    assert!(matches!(authorised, Error::Conflict(Conflict::InvoiceAuthorized)), "{authorised:?}");
}

#[tokio::test]
async fn a_number_is_made_invalid_once_however_often_staff_ask() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    office.next(Fault::Rejects(225));
    emit(&shop, &order).await.expect_err("rejected");
    let why = WithdrawInvoice::default;
    let disable = async || shop.invoices().disable_number(&Actor::System, &order.id, why()).await;
    let (one, other) = tokio::join!(disable(), disable());
    assert_eq!(one.expect("done"), other.expect("done"));
    assert_eq!(test.count("SELECT count(*) FROM audit WHERE action = 'nfe.disable_number'"), 1);
}

#[tokio::test]
async fn the_sandbox_knows_a_number_that_it_made_invalid_before() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    office.next(Fault::Rejects(225));
    emit(&shop, &order).await.expect_err("rejected");
    let why = WithdrawInvoice::default;
    let invoices = test.shop.invoices();
    let disable = async || invoices.disable_number(&Actor::System, &order.id, why()).await;
    disable().await.expect("done");
    // As if the program had died before it wrote the answer down.
    test.raw_sql("UPDATE nfe SET status = 'REJECTED', disable_proc_xml = NULL");
    assert_eq!(disable().await.expect("done").status, InvoiceStatus::Disabled);
}

#[tokio::test]
async fn a_number_whose_document_was_authorised_after_all_is_not_made_invalid() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    office.next(Fault::LostAfter);
    emit(&shop, &order).await.expect_err("no answer");
    let why = WithdrawInvoice::default();
    let disabled = shop.invoices().disable_number(&Actor::System, &order.id, why).await;
    let refused = disabled.expect_err("authorised");
    assert!(matches!(refused, Error::Conflict(Conflict::InvoiceAuthorized)), "{refused:?}");
    assert_eq!(emit(&shop, &order).await.expect("issued").number, 1);
}

#[tokio::test]
async fn invoices_are_listed_by_period_and_status() {
    let test = TestShop::open().await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 100, 4990).await);
    for n in 0..3 {
        let order = paid(&test, &buyer, &vela, 1).await;
        emit(&test.shop, &order).await.expect("issued");
        if n == 1 {
            cancel(&test.shop, &order).await.expect("cancelled");
        }
        test.advance_hours(1);
    }
    let numbers = async |filter| {
        let page = test.shop.invoices().list(input::<InvoiceFilter>(filter)).await.expect("a page");
        let numbers: Vec<u32> = page.data.iter().map(|invoice| invoice.number).collect();
        (numbers, page.pagination.total)
    };
    assert_eq!(numbers(json!({})).await, (vec![3, 2, 1], 3));
    assert_eq!(numbers(json!({ "status": "cancelada" })).await, (vec![2], 1));
    assert_eq!(numbers(json!({ "limit": 1, "page": 2 })).await, (vec![2], 3));
    let after = json!({ "from": "2026-11-21T15:30:00Z", "to": "2026-11-21T16:30:00Z" });
    assert_eq!(numbers(after).await, (vec![2], 1));
}

#[tokio::test]
async fn settings_say_who_issues_and_what_is_sold() {
    let test = TestShop::with(|config| {
        let nfe = &mut config.nfe;
        nfe.series = 12;
        nfe.first_number = 500;
        nfe.company.cnpj = "12ABC34501DE35".parse().ok();
        nfe.company.city_code = Some("3304557".to_owned());
        nfe.company.state = "RJ".parse().ok();
        nfe.defaults.production = Production::Resale;
        nfe.defaults.ncm = "33074900".parse().ok();
        let rates = "nfe.ibs_cbs.rates = ['2026-11-21=0.10/0/0.90']";
        nfe.ibs_cbs = Config::parse(rates, []).expect("usable").nfe.ibs_cbs;
    })
    .await;
    let order = sold(&test).await;
    let invoice = emit(&test.shop, &order).await.expect("issued");
    assert_eq!((invoice.series, invoice.number), (12, 500));
    assert!(invoice.key.expect("a key").starts_with("33261112ABC34501DE3555012000000500"));
    let xml = test.shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
    for part in ["<CFOP>6108</CFOP>", "<NCM>33074900</NCM>", "<idDest>2</idDest>", "<IBSCBSTot>"] {
        assert!(xml.contains(part), "{part}");
    }
}

#[tokio::test]
async fn the_share_of_taxes_is_told_where_it_is_set() {
    let plain = TestShop::open().await;
    let order = sold(&plain).await;
    emit(&plain.shop, &order).await.expect("issued");
    let xml = plain.shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
    assert!(!xml.contains("vTotTrib") && !xml.contains("dos tributos"));
    let test = TestShop::with(|config| config.nfe.tax_share_percent = "4.00".parse().ok()).await;
    let order = sold(&test).await;
    emit(&test.shop, &order).await.expect("issued");
    let xml = test.shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
    let document = Document::parse(&xml).expect("XML");
    let share = order.total.percent("4".parse().expect("a rate")).to_string();
    assert_eq!(text(element(&document, "ICMSTot"), "vTotTrib"), Some(&*share));
    assert_eq!(text(element(&document, "imposto"), "vTotTrib"), Some(&*share));
    let words = text(element(&document, "infAdic"), "infCpl").expect("words");
    let told = format!("Valor aproximado dos tributos R$ {} (4,00%)", share.replace('.', ","));
    assert!(words.contains(&told), "{words}");
}

#[tokio::test]
async fn invoices_are_part_of_the_copy_of_ones_data_and_outlive_the_account() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let invoice = emit(&test.shop, &order).await.expect("issued");
    let copy = test.shop.accounts().export(&order.user_id).await.expect("a copy");
    assert_eq!((copy.invoices.len(), &copy.invoices[0].key), (1, &invoice.key));
    assert!(copy.invoices[0].xml.as_ref().is_some_and(|xml| xml.contains(super::CPF)));
    let orders = test.shop.orders();
    orders.set_status(&order.id, OrderStatus::Delivered, None).await.expect("delivered");
    let erase = input(json!({ "password": "segredo-123" }));
    test.shop.accounts().erase(&order.user_id, erase).await.expect("erased");
    let kept = test.shop.invoices().get_xml(&order.id).await.expect("the law keeps it");
    assert_eq!(Some(kept.key), invoice.key);
}
