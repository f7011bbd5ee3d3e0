use serde_json::{Value, json};
use shop_core::Shop;
use shop_core::order::Order;

use super::{Cli, order};

/// A paid order, on the machine's clock.
async fn sold(shop: &Shop) -> Order {
    let order = order(shop).await;
    shop.sandbox().pay(&order.order_number).await.expect("paid")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invoice_is_issued_written_exported_and_cancelled() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let order = sold(&shop).await;
    let number = order.order_number.as_str();
    let issued =
        cli.run(&["nfe", "emit", number, "--cpf", "529.982.247-25", "--format", "json"], "");
    assert_eq!(issued.code, Some(0), "{issued:?}");
    let issued: Value = serde_json::from_str(&issued.stdout).expect("JSON");
    assert_eq!((&issued["status"], &issued["numero"]), (&json!("autorizada"), &json!(1)));
    let shown = cli.run(&["nfe", "show", number], "").stdout;
    assert!(
        shown.contains("autorizada") && shown.contains(issued["chave"].as_str().expect("a key"))
    );

    let danfe = cli.run(&["nfe", "danfe", number], "");
    assert_eq!(danfe.code, Some(0), "{danfe:?}");
    let file = cli.dir.path().join(format!("danfe-{number}.pdf"));
    assert!(std::fs::read(file).expect("the PDF").starts_with(b"%PDF-"));
    let xml = cli.run(&["nfe", "xml", number], "").stdout;
    assert_eq!(xml, shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc);

    let product = order.items[0].product_id.as_str();
    let fiscal =
        ["nfe", "fiscal", product, "--ncm", "3307.49.00", "--unit", "CX", "--clear", "unit"];
    let fiscal = cli.run(&fiscal, "");
    assert_eq!(fiscal.code, Some(0), "{fiscal:?}");
    let row = |field: &str, fiscal: &str| {
        let line = fiscal.lines().find(|line| line.starts_with(field)).expect("a row").to_owned();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("ncm", &fiscal.stdout), ["ncm", "33074900", "product"]);
    assert_eq!(row("unit", &fiscal.stdout), ["unit", "UN", "company"]);
    let refused = cli.run(&["nfe", "fiscal", product, "--csosn", "500"], "");
    assert!(refused.code == Some(1) && refused.stderr.contains("cest"), "{refused:?}");

    let text = "Número correto do endereço: 86";
    let corrected = cli.run(&["nfe", "correct", number, text], "");
    assert!(corrected.stdout.contains("registrada"), "{corrected:?}");

    let month = &shop.now().to_string()[..7];
    let exported = cli.run(&["nfe", "export", "--month", month], "");
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let file = cli.dir.path().join(format!("nfe-{month}.zip"));
    assert!(std::fs::read(file).expect("the ZIP").starts_with(b"PK"));
    assert_eq!(cli.run(&["nfe", "export", "--month", "11/2026"], "").code, Some(2));

    let cancelled =
        cli.run(&["nfe", "cancel", number, "--reason", "Cliente desistiu da compra", "--yes"], "");
    assert!(cancelled.stdout.contains("cancelada"), "{cancelled:?}");
    let disabled = cli.run(&["nfe", "disable", number, "--yes"], "");
    assert_eq!(
        (disabled.code, disabled.stderr.as_str()),
        (Some(4), "error: the invoice was cancelled: its number is used for good\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_would_be_refused_is_told_of_an_order_and_of_all_products() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let order = sold(&shop).await;
    let number = order.order_number.as_str();
    let of_order = ["nfe", "check", "--order", number];
    let all = ["nfe", "check", "--all-products"];
    for arguments in [&of_order[..], &all] {
        let good = cli.run(arguments, "");
        assert_eq!(good.code, Some(0), "{good:?}");
    }
    let product = order.items[0].product_id.as_str();
    let wrong = cli.run(&["nfe", "fiscal", product, "--ncm", "77000000"], "");
    assert_eq!(wrong.code, Some(0), "{wrong:?}");
    let told = cli.run(&of_order, "");
    assert!(told.code == Some(1) && told.stderr.contains("1 would be refused"), "{told:?}");
    assert!(told.stdout.contains("778") && told.stdout.contains("NCM inexistente"), "{told:?}");
    let told = cli.run(&[&all[..], &["--format", "json"]].concat(), "");
    let found: Value = serde_json::from_str(&told.stdout).expect("JSON");
    let found = found.as_array().expect("products");
    let to: Vec<_> = found.iter().map(|it| (&it["productId"], &it["interstate"])).collect();
    assert_eq!(to, [(&json!(product), &json!(false)), (&json!(product), &json!(true))]);
    assert_eq!(found[0]["problems"][0]["code"], 778);
    assert_eq!(cli.run(&["nfe", "check"], "").code, Some(2));
    assert!(shop.invoices().get_by_order(&order.id).await.is_err(), "looking takes no number");
}

#[tokio::test(flavor = "multi_thread")]
async fn goods_that_come_back_have_invoices_of_their_own() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let order = sold(&shop).await;
    let number = order.order_number.as_str();
    let none = cli.run(&["nfe", "return", number], "");
    assert_eq!(none.code, Some(3), "{none:?}");
    cli.run(&["nfe", "emit", number, "--cpf", "529.982.247-25"], "");
    let wrong = cli.run(&["nfe", "return", number, "--item", "9=1"], "");
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    let back = cli.run(&["nfe", "return", number, "--ground", "DEFECT", "--format", "json"], "");
    assert_eq!(back.code, Some(0), "{back:?}");
    let back: Value = serde_json::from_str(&back.stdout).expect("JSON");
    assert_eq!((&back["tipo"], &back["numero"]), (&json!("devolucao"), &json!(2)));
    let listed = cli.run(&["nfe", "returns", number], "").stdout;
    assert!(listed.contains(back["chave"].as_str().expect("a key")), "{listed}");
    let again = cli.run(&["nfe", "return", number, "--retry", "2"], "");
    assert!(again.stdout.contains("autorizada"), "{again:?}");
    let xml = cli.run(&["nfe", "xml", number, "--return", "2"], "").stdout;
    assert!(xml.contains("<finNFe>4</finNFe>") && xml.contains("ART. 18 DA LEI 8.078/1990"));
    let danfe = cli.run(&["nfe", "danfe", number, "--return", "2"], "");
    assert_eq!(danfe.code, Some(0), "{danfe:?}");
    let file = cli.dir.path().join(format!("danfe-{number}-2.pdf"));
    assert!(std::fs::read(file).expect("the PDF").starts_with(b"%PDF-"));
    let unknown = cli.run(&["nfe", "xml", number, "--return", "3"], "");
    assert_eq!(unknown.code, Some(3), "{unknown:?}");
    let cancelled = cli.run(&["nfe", "cancel", number, "--return", "2", "--yes"], "");
    assert!(cancelled.stdout.contains("cancelada"), "{cancelled:?}");
}
