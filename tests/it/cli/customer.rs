use serde_json::Value;
use shop_core::account::LogIn;

use super::{Cli, order};

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_is_found_exported_suspended_and_let_in_again() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let order = order(&shop).await;
    let listed = cli.json(&["customer", "list", "--search", "ana@"]);
    assert_eq!(
        (&listed["data"][0]["name"], &listed["pagination"]["total"]),
        (&"Ana".into(), &1.into())
    );
    let shown = cli.json(&["customer", "show", "ANA@example.com"]);
    assert_eq!(shown["orders"][0]["orderNumber"], order.order_number);

    let file = cli.dir.path().join("ana.json");
    let written =
        cli.run(&["customer", "export", order.user_id.as_str(), "--output", "ana.json"], "");
    assert_eq!((written.code, written.stdout.as_str()), (Some(0), ""), "{written:?}");
    let all = std::fs::read_to_string(file).expect("a file");
    let all: Value = serde_json::from_str(&all).expect("JSON");
    assert_eq!(all["account"]["email"], "ana@example.com");
    assert_eq!(all["orders"][0]["orderNumber"], order.order_number);
    assert!(!all.to_string().contains("argon2"), "no hash of a password");
    let log = shop.audit().list(shop_core::audit::AuditFilter::default()).await.expect("a log");
    assert_eq!(
        (&*log.data[0].action, &*log.data[0].resource_id),
        ("customer.export", order.user_id.as_str())
    );

    let log_in = || LogIn {
        email: "ana@example.com".to_owned(),
        password: "segredo-123".into(),
        code: None,
    };
    let session = shop.sessions().log_in(log_in()).await.expect("logged in");
    let suspended = cli.run(&["customer", "suspend", "ana@example.com"], "").stdout;
    assert!(suspended.contains("suspended"), "{suspended}");
    assert!(shop.sessions().verify(&session.token).await.is_err());
    assert_eq!(cli.json(&["customer", "activate", "ana@example.com"])["isActive"], true);
    shop.sessions().log_in(log_in()).await.expect("logged in again");
    for command in ["show", "export", "suspend"] {
        let nobody = cli.failure(&["customer", command, "nobody@example.com"]);
        assert_eq!(nobody, (3, "there is no such account".to_owned()));
    }
}

#[test]
fn a_long_list_says_that_there_is_more() {
    let cli = Cli::with_shop();
    let size = ["--products", "5", "--customers", "30"];
    assert_eq!(cli.run(&[&["demo", "seed"][..], &size].concat(), "").code, Some(0));
    let first = cli.run(&["customer", "list", "--limit", "10"], "");
    assert_eq!(first.stdout.lines().count(), 11);
    assert!(first.stderr.starts_with("page 1 of "), "{first:?}");
    let second = cli.run(&["customer", "list", "--limit", "10", "--page", "2"], "");
    assert_ne!(first.stdout, second.stdout);
    assert_eq!(cli.run(&["customer", "list", "--page", "0"], "").code, Some(2));
    let file = cli.run(&["export", "customers"], "");
    assert!(file.stdout.starts_with("\u{feff}Nome;E-mail"), "{file:?}");
    assert!(file.stdout.lines().count() > 30, "{}", file.stdout.lines().count());
}
