use super::Cli;

#[test]
fn orders_are_exported_to_a_file_or_to_stdout() {
    let cli = Cli::with_shop();
    let size = ["--products", "20", "--customers", "10", "--orders", "700"];
    let seeded = cli.run(&[&["demo", "seed"][..], &size].concat(), "");
    assert_eq!(seeded.code, Some(0), "{seeded:?}");
    let all = cli.run(&["export", "orders"], "");
    assert_eq!(all.code, Some(0), "{all:?}");
    let mut lines = all.stdout.lines();
    assert!(lines.next().expect("a head").starts_with("\u{feff}Pedido;Data;Status;Cliente"));
    assert_eq!(lines.count(), 700);
    let file = cli.dir.path().join("pedidos.csv");
    let file_name = file.display().to_string();
    let some = cli.run(&["export", "orders", "--status", "CANCELLED", "--output", &file_name], "");
    assert_eq!((some.code, some.stdout.as_str()), (Some(0), ""), "{some:?}");
    let written = std::fs::read_to_string(file).expect("a file");
    let cancelled = all.stdout.matches(";CANCELLED;").count();
    assert_eq!((written.lines().count(), cancelled > 0), (1 + cancelled, true));
    let none = cli.run(&["export", "orders", "--to", "2020-01-01T00:00:00Z"], "");
    assert_eq!(none.stdout.lines().count(), 1);
    let point = cli.run_bare(
        &["export", "orders", "--database", cli.data.name()],
        &[("SHOP_EXPORT__DECIMAL", "point")],
        "",
    );
    assert!(point.stdout.starts_with("\u{feff}Pedido,Data,Status"), "{}", point.stderr);
    assert_eq!(cli.run(&["export", "orders", "--status", "PAID"], "").code, Some(2));
}
