//! Labels of the sandbox on paper, read back by programs that know nothing of how they were made.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::error::{Conflict, Error};
use shop_core::shipment::{ProviderLabelStatus, Shipment, ShipmentStatus};

use super::{Bench, buy, paid, recipient, sandbox};
use crate::core::fixture::{Buyer, TestShop, input};

async fn shop() -> (TestShop, Buyer) {
    let test = TestShop::with(sandbox).await;
    test.raw_sql("DELETE FROM shipping_tariff");
    let ana = recipient(&test).await;
    test.product("vela", 100, 4_990).await;
    (test, ana)
}

#[tokio::test]
async fn the_labels_of_several_orders_are_one_pdf_whose_codes_scanners_read() {
    let (test, ana) = shop().await;
    let mut labels: Vec<Shipment> = Vec::new();
    for units in [1, 2, 1] {
        let order = paid(&test, &ana, units).await;
        labels.extend(buy(&test.shop, &order, json!({})).await.expect("bought"));
    }
    let account = test.shop.shipments().account().await.expect("an account");
    let spent: i64 =
        labels.iter().filter_map(|it| it.price).map(shop_core::money::Money::cents).sum();
    let left = account.balance.map(shop_core::money::Money::cents);
    assert_eq!((account.connected, left), (true, Some(1_000_000 - spent)));
    let ids: Vec<_> = labels.iter().map(|it| it.id.clone()).collect();
    let pdf = test.shop.shipments().print(&ids).await.expect("printed");
    let orders: Vec<_> = labels.iter().map(|it| it.order_id.clone()).collect();
    let same = test.shop.shipments().print_orders(&orders).await.expect("printed");
    assert_eq!(pdf.len(), same.len());
    if let Some(text) = text(&pdf) {
        let pages: Vec<&str> = text.split('\u{c}').filter(|page| !page.trim().is_empty()).collect();
        assert_eq!(pages.len(), 3, "{text}");
        for (page, label) in pages.iter().zip(&labels) {
            let code = label.tracking_code.as_deref().expect("a code");
            for said in [code, &label.order_number, "Rua das Flores", "01001-000", "ana"] {
                assert!(page.contains(said), "{said} on {page}");
            }
        }
    }
    if let Some(codes) = codes(&pdf, test.dir.path()) {
        for label in &labels {
            let code = label.tracking_code.as_deref().expect("a code");
            assert!(codes.contains(code), "{code} among {codes}");
        }
    }
    test.check_books().await;
}

#[tokio::test]
async fn what_is_not_made_or_given_up_is_not_printed() {
    let (test, ana) = shop().await;
    let order = paid(&test, &ana, 1).await;
    let label = buy(&test.shop, &order, json!({})).await.expect("bought").remove(0);
    let shipments = test.shop.shipments();
    shipments.cancel(&Actor::System, &label.id).await.expect("given back");
    let account = shipments.account().await.expect("an account");
    assert_eq!(account.balance.map(shop_core::money::Money::cents), Some(1_000_000));
    let refused = shipments.print(&[label.id]).await.expect_err("nothing to print");
    assert!(matches!(refused, Error::Conflict(Conflict::LabelNotReady)), "{refused:?}");
    let refused = shipments.print_orders(&[order.id]).await.expect_err("nothing to print");
    assert!(matches!(refused, Error::Conflict(Conflict::LabelNotReady)), "{refused:?}");
    test.check_books().await;
}

#[tokio::test]
async fn a_label_whose_parcel_was_posted_is_not_given_back() {
    let (test, ana) = shop().await;
    let order = paid(&test, &ana, 1).await;
    let label = buy(&test.shop, &order, json!({})).await.expect("bought").remove(0);
    let shipments = test.shop.shipments();
    shipments.play_carrier(&label.id, ProviderLabelStatus::Posted).await.expect("posted");
    let label = shipments.cancel(&Actor::System, &label.id).await.expect("asked");
    assert_eq!(label.status, ShipmentStatus::Generated, "the carrier has the parcel");
    assert!(label.problem.is_some());
    test.check_books().await;
}

#[tokio::test]
async fn of_a_customer_who_is_forgotten_no_label_says_where_the_parcel_went() {
    let (test, ana) = shop().await;
    let order = paid(&test, &ana, 1).await;
    let label = buy(&test.shop, &order, json!({})).await.expect("bought").remove(0);
    assert_eq!(test.count("SELECT count(*) FROM sandbox_label WHERE paper LIKE '%Flores%'"), 1);
    let copy = test.shop.accounts().export(&ana.id).await.expect("a copy");
    let code = copy.shipments[0].tracking_code.as_deref();
    assert!(code.is_some_and(|code| code.starts_with("SB")), "{:?}", copy.shipments);
    let orders = test.shop.orders();
    let done = shop_core::order::OrderStatus::Delivered;
    orders.set_status(&order.id, done, None).await.expect("delivered");
    let password = json!({ "password": "segredo-123" });
    test.shop.accounts().erase(&ana.id, input(password)).await.expect("erased");
    assert_eq!(test.count("SELECT count(*) FROM sandbox_label WHERE paper <> ''"), 0);
    assert_eq!(test.count("SELECT count(*) FROM shipment WHERE tracking_code IS NOT NULL"), 0);
    // The provider tells of the parcel later, and knows where it went.
    let shipments = test.shop.shipments();
    shipments.play_carrier(&label.id, ProviderLabelStatus::Posted).await.expect("posted");
    shipments.track_due().await.expect("asked");
    assert_eq!(test.count("SELECT count(*) FROM shipment WHERE tracking_code IS NOT NULL"), 0);
}

/// A page whose file has at least so many bytes.
fn page(bytes: usize) -> Vec<u8> {
    let mut pdf = b"%PDF-1.4\n".to_vec();
    let mut table = b"0000000000 65535 f \n".to_vec();
    for object in [
        "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n",
        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n",
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\n",
    ] {
        table.extend(format!("{:010} 00000 n \n", pdf.len()).bytes());
        pdf.extend(object.bytes());
    }
    pdf.push(b'%');
    pdf.resize(bytes, b' ');
    let end = pdf.len() + 1;
    let trailer = "trailer<</Size 4/Root 1 0 R>>";
    pdf.extend(b"\nxref\n0 4\n");
    pdf.extend(table);
    pdf.extend(format!("{trailer}\nstartxref\n{end}\n%%EOF\n").bytes());
    pdf
}

#[tokio::test]
async fn the_file_of_a_label_may_be_large_and_that_of_all_together_has_a_bound() {
    let bench = Bench::open().await;
    let mut ids = Vec::new();
    for _ in 0..11 {
        let order = bench.paid(1).await;
        ids.push(bench.buy(&order, json!({})).await.expect("bought").remove(0).id);
    }
    bench.wallet.books().paper = Some(page(6 << 20));
    bench.shop.shipments().print(&ids[..1]).await.expect("printed");
    let refused = bench.shop.shipments().print(&ids).await.expect_err("66 MiB");
    assert!(matches!(refused, Error::Provider { .. }), "{refused:?}");
    bench.wallet.books().paper = Some(page(8 << 20));
    let refused = bench.shop.shipments().print(&ids[..1]).await.expect_err("more than 8 MiB");
    assert!(matches!(refused, Error::Provider { .. }), "{refused:?}");
}

/// What `pdftotext` reads on the sheets; none where it is not installed.
fn text(pdf: &[u8]) -> Option<String> {
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

/// What `zbarimg` reads on the sheets; none where it or `pdftoppm` is not installed.
fn codes(pdf: &[u8], dir: &std::path::Path) -> Option<String> {
    let file = dir.join("labels.pdf");
    std::fs::write(&file, pdf).expect("written");
    let mut draw = Command::new("pdftoppm");
    draw.args(["-r", "200", "-png"]).arg(&file).arg(dir.join("label"));
    let drawn = draw.status().ok()?;
    assert!(drawn.success());
    let pages =
        std::fs::read_dir(dir).expect("a folder").filter_map(Result::ok).map(|it| it.path());
    let pages = pages.filter(|path| path.extension().is_some_and(|it| it == "png"));
    let read = Command::new("zbarimg").args(["-q", "--raw"]).args(pages).output().ok()?;
    Some(String::from_utf8(read.stdout).expect("UTF-8"))
}
