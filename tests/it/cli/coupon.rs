use serde_json::json;

use super::Cli;

#[test]
fn a_coupon_is_made_changed_switched_and_deleted() {
    let cli = Cli::with_shop();
    let create = ["coupon", "create", "VELA10", "--type", "percent", "--value", "10", "--max-uses"];
    let made = cli.json(&[&create[..], &["5", "--expires-at", "2030-01-01T00:00:00Z"]].concat());
    assert_eq!(
        (&made["type"], &made["value"], &made["active"]),
        (&json!("PERCENT"), &json!(10.0), &json!(true))
    );
    let taken = cli.failure(&[&create[..], &["5"]].concat());
    assert_eq!(taken, (4, "code: another coupon has it".to_owned()));

    let update = ["coupon", "update", "vela10", "--value", "12.5", "--max-uses", "none"];
    let changed = cli.json(&update);
    assert_eq!((&changed["value"], &changed["maxUses"]), (&json!(12.5), &json!(null)));
    assert_eq!(changed["expiresAt"], made["expiresAt"], "what is not said stays");
    let id = made["id"].as_str().expect("an id");
    assert_eq!(cli.json(&["coupon", "deactivate", id])["active"], false);
    assert_eq!(cli.json(&["coupon", "activate", "VELA10"])["active"], true);
    assert_eq!(cli.json(&["coupon", "show", id])["code"], "VELA10");
    let listed = cli.run(&["coupon", "list", "--search", "vela"], "").stdout;
    assert!(listed.contains("VELA10  PERCENT  12.50"), "{listed}");

    assert_eq!(cli.failure(&["coupon", "delete", "VELA10"]).0, 6);
    assert_eq!(cli.json(&["coupon", "delete", "VELA10", "--yes"])["id"], id);
    assert_eq!(
        cli.failure(&["coupon", "show", "VELA10"]),
        (3, "there is no such coupon".to_owned())
    );
    assert_eq!(cli.json(&["coupon", "list"]), json!([]));
}

#[test]
fn a_coupon_holds_until_the_end_of_a_day_in_sao_paulo() {
    let cli = Cli::with_shop();
    let create = ["coupon", "create", "A", "--type", "fixed", "--value", "59.699999999999996"];
    let made = cli.json(&[&create[..], &["--expires-at", "2030-12-31"]].concat());
    assert_eq!(
        (&made["value"], &made["expiresAt"]),
        (&json!(59.7), &json!("2031-01-01T03:00:00.000Z"))
    );
    let local = cli.json(&["coupon", "update", "A", "--expires-at", "2030-12-31T10:00"]);
    assert_eq!(local["expiresAt"], "2030-12-31T13:00:00.000Z");
}

#[test]
fn a_coupon_that_cannot_be_is_refused() {
    let cli = Cli::with_shop();
    let too_much = cli.failure(&["coupon", "create", "A", "--type", "percent", "--value", "101"]);
    assert!(too_much.0 == 1 && too_much.1.contains("value"), "{too_much:?}");
    for (arguments, named) in [
        (&["coupon", "create", "A", "--type", "half", "--value", "1"][..], "--type"),
        (&["coupon", "create", "A", "--type", "fixed", "--value", "1.234"], "--value"),
        (&["coupon", "create", "A", "--type", "fixed"], "--value"),
        (&["coupon", "update", "A", "--max-uses", "0"], "--max-uses"),
        (&["coupon", "update", "A", "--expires-at", "soon"], "--expires-at"),
    ] {
        let ended = cli.run(arguments, "");
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(named), "{named}: {ended:?}");
    }
}
