use super::Cli;

#[test]
fn an_unknown_order_cannot_be_paid() {
    let ended = Cli::new().run(&["sandbox", "pay", "PED-20261121-0001"], "");
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
    assert_eq!(ended.stderr, "error: there is no such order\n");
}
