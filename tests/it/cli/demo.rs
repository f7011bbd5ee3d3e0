use serde_json::Value;

use super::Cli;

#[test]
fn a_seeded_shop_can_sell_and_its_orders_be_paid() {
    let cli = Cli::new();
    let seeded = cli.run(&["demo", "seed", "--format", "json"], "");
    assert_eq!(seeded.code, Some(0), "{seeded:?}");
    let report: Value = serde_json::from_str(&seeded.stdout).expect("JSON");
    assert!(report["products"].as_i64() >= Some(40), "{report}");
    let again = cli.run(&["demo", "seed"], "");
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(again.stderr.contains("left alone"), "{again:?}");
}

#[test]
fn any_number_of_made_up_products_can_be_seeded() {
    let seeded = Cli::new().run(&["demo", "seed", "--products", "150", "--format", "json"], "");
    let report: Value = serde_json::from_str(&seeded.stdout).expect("JSON");
    assert_eq!(seeded.code, Some(0), "{seeded:?}");
    assert!(report["products"].as_i64() > Some(100), "{report}");
}
