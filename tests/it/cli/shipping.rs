//! Boxes and what is printed to send orders.

use serde_json::json;

use super::{Cli, order};

#[test]
fn a_box_is_made_changed_listed_and_deleted() {
    let cli = Cli::with_shop();
    let boxes = |rest: &[&str]| cli.json(&[&["shipping", "boxes"][..], rest].concat());
    let sides = ["--inner", "20x15x10.5", "--outer", "21x16x11.5"];
    let made = boxes(
        &[&["create", "Caixa P"], &sides[..], &["--tare", "0.12", "--max-weight", "5"]].concat(),
    );
    assert_eq!((&made["innerHeight"], &made["outerLength"]), (&json!(10.5), &json!(21.0)));
    let changed = boxes(&["update", "Caixa P", "--rename", "Caixa pequena", "--max-weight", "6"]);
    assert_eq!((&changed["name"], &changed["maxWeight"]), (&json!("Caixa pequena"), &json!(6.0)));
    assert_eq!(changed["innerHeight"], 10.5, "what is not said stays");
    let listed = cli.run(&["shipping", "boxes", "list"], "").stdout;
    assert!(listed.contains("Caixa pequena  20x15x10.5  21x16x11.5"), "{listed}");
    assert_eq!(cli.failure(&["shipping", "boxes", "delete", "Caixa pequena"]).0, 6);
    assert_eq!(boxes(&["delete", "Caixa pequena", "--yes"])["id"], made["id"]);
    assert_eq!(boxes(&["list"]), json!([]));
    let nothing = cli.failure(&["shipping", "boxes", "delete", "Caixa P", "--yes"]);
    assert_eq!(nothing, (3, "there is no such box".to_owned()));
    let smaller =
        ["--inner", "20x15x10", "--outer", "21x14x11", "--tare", "0.1", "--max-weight", "5"];
    let refused = cli.failure(&[&["shipping", "boxes", "create", "P"], &smaller[..]].concat());
    assert!(refused.0 == 1 && refused.1.contains("outerWidth"), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_are_written_as_a_pdf() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let number = order(&shop).await.order_number;
    for kind in ["address", "content", "slip"] {
        let file = format!("{kind}.pdf");
        let label = ["shipping", "label", "--order", &number, "--kind", kind, "--output", &file];
        let ended = cli.run(&label, "");
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let pdf = std::fs::read(cli.dir.path().join(file)).expect("the PDF");
        assert!(pdf.starts_with(b"%PDF-"));
    }
    let unknown = ["shipping", "label", "--order", "X-1", "--kind", "slip", "--output", "x.pdf"];
    assert_eq!(cli.failure(&unknown).0, 3);
}
