//! Each example runs, and says what it is meant to say.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// What an example prints. It must end well: each checks itself.
fn run(name: &str, input: Stdio) -> String {
    let output = Command::new(folder().join(name)).stdin(input).output().expect("starts");
    let (stdout, stderr) = (output.stdout, output.stderr);
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("UTF-8")
}

/// Where the examples are. A test that is asked for by name builds none of them; with the whole
/// workspace they are the same that `cargo test --workspace` has built.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        // What cargo tells this test about its package would make build scripts run anew.
        for (name, _) in std::env::vars_os() {
            let about = ["CARGO_PKG_", "CARGO_MANIFEST_"];
            if about.iter().any(|it| name.to_string_lossy().starts_with(it)) {
                cargo.env_remove(name);
            }
        }
        let built = cargo
            .args(["build", "--quiet", "--workspace", "--examples"])
            .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml")])
            .status();
        assert!(built.expect("cargo").success(), "the examples do not build");
        let test = std::env::current_exe().expect("this test's path");
        test.ancestors().nth(2).expect("a target folder").join("examples")
    })
}

/// The lines that a text must have, in this order.
fn assert_says(text: &str, expected: &[&str]) {
    let mut lines = text.lines();
    for wanted in expected {
        assert!(lines.any(|line| line.contains(wanted)), "{wanted:?} is missing in\n{text}");
    }
}

#[test]
fn a_purchase_inside_a_program() {
    assert_says(&run("embed", Stdio::null()), &["R$ 99.80", "br.gov.bcb.pix", "Processing"]);
}

#[test]
fn an_axum_application_answers_beside_the_shop() {
    assert_says(&run("axum_app", Stdio::null()), &["axum answers /, the shop answers /api"]);
}

#[test]
fn a_desktop_program_opens_its_shop_and_settles_it() {
    assert_says(&run("desktop", Stdio::null()), &["0 products", "closed"]);
}

#[test]
fn a_carrier_of_ones_own_names_the_price() {
    let expected = ["01001-000: Bicicleta", "20010-020: Brasil", "frete R$ 6.90, total R$ 56.80"];
    assert_says(&run("custom_carrier", Stdio::null()), &expected);
}

#[test]
fn a_receiver_of_webhooks_believes_what_is_signed() {
    assert_says(&run("webhook_receiver", Stdio::null()), &["order.created", "order.paid"]);
}

#[test]
fn a_file_is_imported_once_however_often_it_comes() {
    assert_says(&run("bulk_import", Stdio::null()), &["created: 2000, known: 0, bad: 2"]);
}

#[test]
fn a_bot_sells_in_a_conversation() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/bot/conversation.txt");
    let said = run("bot", File::open(script).expect("the conversation").into());
    let expected = [
        "Sou a loja de velas",
        "2. Vela de Baunilha, R$ 54.90 (1 em estoque)",
        "Não temos tantas unidades",
        "1. 1 x Vela de Baunilha, R$ 54.90",
        "Subtotal: R$ 99.80",
        "Qual é o seu nome?",
        "Esse e-mail não parece certo",
        "Para onde enviamos?",
        "Pague R$ 118.30 com este código PIX",
        "br.gov.bcb.pix",
        "aguardando pagamento",
        "em preparação",
        "Seu carrinho está vazio",
    ];
    assert_says(&said, &expected);
}
