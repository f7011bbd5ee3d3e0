//! Labels, declarations of content and packing slips: what stands on them, read back by a program
//! that knows nothing of how they were made.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::error::{Entity, Refusal};
use shop_core::id::OrderId;
use shop_core::labels::LabelKind;

use super::fixture::{TestShop, input};

/// What `pdftotext` reads on the sheets; none where it is not installed.
fn read(pdf: &[u8]) -> Option<String> {
    let mut reader = Command::new("pdftotext")
        .args(["-layout", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    reader.stdin.take().expect("a pipe").write_all(pdf).expect("written");
    let read = reader.wait_with_output().expect("an end");
    Some(String::from_utf8(read.stdout).expect("UTF-8"))
}

async fn shop() -> TestShop {
    TestShop::with(|config| {
        let sender = &mut config.shipping.sender;
        let text = |text: &str| Some(text.to_owned());
        sender.name = text("Velas Aurora ME");
        sender.document = text("11222333000181");
        sender.street = text("Rua das Flores");
        sender.number = text("10");
        sender.district = text("Centro");
        sender.city = text("São Paulo");
        sender.state = "SP".parse().ok();
        sender.zip_code = "01001-000".parse().ok();
    })
    .await
}

/// An order of these products, one unit each.
async fn order_of(test: &TestShop, names: &[&str]) -> OrderId {
    let buyer = test.buyer("ana").await;
    let mut items = Vec::new();
    for (n, name) in names.iter().enumerate() {
        let new =
            json!({ "name": name, "slug": format!("produto-{n}"), "price": 12.5, "stock": 9 });
        let made = test.shop.products().create(&Actor::System, input(new), None).await;
        items.push(json!({ "productId": made.expect("a product").product.id, "quantity": 1 }));
    }
    let order = json!({ "addressId": buyer.address, "cartItems": Value::from(items),
                        "notes": "Embrulhe para presente, por favor" });
    test.place_order(&buyer, input(order), None).await.expect("placed").order.id
}

async fn print(test: &TestShop, kind: LabelKind, ids: &[OrderId]) -> Option<String> {
    read(&test.shop.orders().print_labels(kind, ids).await.expect("a PDF"))
}

fn pages(text: &str) -> usize {
    text.matches('\x0c').count()
}

#[tokio::test]
async fn a_label_has_recipient_sender_and_the_number_of_the_parcel() {
    let test = shop().await;
    let id = order_of(&test, &["Vela"]).await;
    let order = test.shop.orders().get_detail(&id).await.expect("an order").order;
    let Some(text) = print(&test, LabelKind::Address, &[id]).await else { return };
    for said in [
        "DESTINATÁRIO",
        &order.address.street,
        &order.address.city,
        "01001-000",
        "Volume 1/1",
        "REMETENTE",
        "Velas Aurora ME",
        "Rua das Flores, 10",
        &order.order_number,
        "0,300 kg",
        "16 x 11 x 8 cm",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[tokio::test]
async fn a_declaration_has_both_parties_the_goods_their_weight_and_value_twice_on_a_page() {
    let test = shop().await;
    let id = order_of(&test, &["Vela de Lavanda", "Difusor de Limão"]).await;
    let Some(text) = print(&test, LabelKind::Content, &[id]).await else { return };
    for said in [
        "DECLARAÇÃO DE CONTEÚDO",
        "Velas Aurora ME",
        "11.222.333/0001-81",
        "Vela de Lavanda",
        "Difusor de Limão",
        "25,00",
        "0,600",
        "Lei Complementar",
        "artigo 261",
        "São Paulo, 21 de novembro de 2026",
        "Assinatura do Declarante/Remetente",
    ] {
        assert_eq!(text.matches(said).count(), 2, "{said}: {text}");
    }
    assert_eq!(pages(&text), 1);
}

#[tokio::test]
async fn many_goods_and_long_names_go_on_on_further_pages_and_nothing_is_lost() {
    let test = shop().await;
    let long = "Vela aromática artesanal de lavanda, alecrim e capim-limão em pote de vidro âmbar \
                com tampa de bambu e pavio de madeira, edição especial de inverno, 200 g";
    let names: Vec<String> = (1..=30).map(|n| format!("{long} nº {n:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let id = order_of(&test, &names).await;
    for kind in [LabelKind::Content, LabelKind::Slip] {
        let Some(text) = print(&test, kind, std::slice::from_ref(&id)).await else { return };
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for n in 1..=30 {
            assert!(words.contains(&format!("nº {n:02}")), "{n}: {text}");
        }
        assert!(pages(&text) >= 2, "{text}");
    }
    let Some(text) = print(&test, LabelKind::Content, &[id]).await else { return };
    assert!(text.contains("Folha 1 de ") && text.contains("continua"), "{text}");
    assert_eq!(text.matches("375,00").count(), 2, "the sum stands on the last page alone");
}

#[tokio::test]
async fn a_slip_says_what_goes_into_which_parcel_and_what_the_customer_wrote() {
    let test = shop().await;
    let new = json!({ "name": "Caixa P", "innerLength": 20, "innerWidth": 15, "innerHeight": 10,
        "outerLength": 21, "outerWidth": 16, "outerHeight": 11, "tareWeight": 0.1, "maxWeight": 5 });
    test.shop.shipping().create_box(&Actor::System, input(new)).await.expect("a box");
    let id = order_of(&test, &["Vela"]).await;
    let Some(text) = print(&test, LabelKind::Slip, &[id]).await else { return };
    for said in ["Volume 1 de 1: Caixa P (21 x 16 x 11 cm, 0,400 kg)", "1 x", "Vela", "Embrulhe"] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[tokio::test]
async fn letters_that_the_typeface_lacks_do_not_break_a_label() {
    let test = shop().await;
    // The second name has its accents behind their letters, as text from some systems has.
    let names = ["Vela “Amor” – 🕯 edição", "Vela Corac\u{327}a\u{303}o"];
    let id = order_of(&test, &names).await;
    let Some(text) = print(&test, LabelKind::Slip, &[id]).await else { return };
    assert!(text.contains("Vela \"Amor\" - edição"), "{text}");
    assert!(text.contains("Vela Coração"), "{text}");
}

#[tokio::test]
async fn labels_are_printed_for_known_orders_and_a_hundred_at_once() {
    let test = shop().await;
    let id = order_of(&test, &["Vela"]).await;
    let orders = test.shop.orders();
    for ids in [vec![], vec![id.clone(); 101]] {
        let refused = orders.print_labels(LabelKind::Address, &ids).await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    }
    let unknown = orders.print_labels(LabelKind::Slip, &["nothing".into()]).await;
    assert!(matches!(unknown, Err(Error::NotFound(Entity::Order))), "{unknown:?}");
    let Some(text) = print(&test, LabelKind::Address, &vec![id; 100]).await else { return };
    assert_eq!(pages(&text), 100);
}

#[tokio::test]
async fn what_was_withdrawn_before_it_was_sent_stands_on_no_slip() {
    let test = shop().await;
    let order = order_of(&test, &["Vela de lavanda", "Vela de mel"]).await;
    let order = test.shop.orders().get(&order).await.expect("there");
    test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    let items = json!({ "items": [{ "orderItemId": order.items[0].id, "quantity": 1 }] });
    let asked = test.shop.returns().request(&order.user_id, &order.id, input(items), None).await;
    asked.expect("withdrawn");
    let Some(slip) = print(&test, LabelKind::Slip, &[order.id]).await else { return };
    assert!(slip.contains("Vela de mel") && !slip.contains("lavanda"), "{slip}");
}

#[tokio::test]
async fn a_parcel_of_which_all_was_withdrawn_is_not_printed() {
    let test = shop().await;
    // One candle for each box.
    let new = json!({ "name": "Caixa P", "innerLength": 20, "innerWidth": 15, "innerHeight": 10,
        "outerLength": 21, "outerWidth": 16, "outerHeight": 11, "tareWeight": 0.1,
        "maxWeight": 0.5 });
    test.shop.shipping().create_box(&Actor::System, input(new)).await.expect("a box");
    let order = order_of(&test, &["Vela de lavanda", "Vela de mel"]).await;
    let order = test.shop.orders().get(&order).await.expect("there");
    test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    let ids = std::slice::from_ref(&order.id);
    let returns = test.shop.returns();
    let one = json!({ "items": [{ "orderItemId": order.items[0].id, "quantity": 1 }] });
    returns.request(&order.user_id, &order.id, input(one), None).await.expect("withdrawn");
    if let Some(labels) = print(&test, LabelKind::Address, ids).await {
        assert!(pages(&labels) == 1 && labels.contains("Volume 1/1"), "{labels}");
    }
    returns.request(&order.user_id, &order.id, input(json!({})), None).await.expect("the rest");
    let refused = test.shop.orders().print_labels(LabelKind::Address, ids).await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::OrderNotShippable))), "{refused:?}");
}
