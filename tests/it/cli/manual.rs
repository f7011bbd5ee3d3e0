//! What the command line says about itself, and what docs/cli.md says about it.

use std::process::Command;

use super::Cli;

/// The commands of the binary, each as its words; those that have commands of their own are not
/// among them.
fn commands(cli: &Cli) -> Vec<Vec<String>> {
    let (mut open, mut found) = (vec![Vec::<String>::new()], Vec::new());
    while let Some(words) = open.pop() {
        let arguments: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let help = cli.run(&arguments, "").stdout;
        let within = help.split_once("Commands:\n").map(|(_, rest)| rest);
        let names: Vec<&str> = within
            .unwrap_or_default()
            .lines()
            .take_while(|line| !line.trim().is_empty())
            .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
            .filter(|name| !name.is_empty() && *name != "help")
            .collect();
        if names.is_empty() {
            found.push(words);
        } else {
            open.extend(names.iter().map(|name| [&words[..], &[(*name).to_owned()]].concat()));
        }
    }
    found
}

/// docs/cli.md, and what stands beside it about some of the commands (docs/cli-..md).
fn documentation() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    let files =
        std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let of_commands = files.filter(|file| {
        let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        name == "cli" || name.starts_with("cli-")
    });
    of_commands.map(|file| std::fs::read_to_string(file).expect("a text")).collect()
}

#[test]
fn every_command_is_in_the_documentation_and_every_documented_one_is_there() {
    let cli = Cli::new();
    let commands = commands(&cli);
    assert!(commands.len() > 40, "{commands:?}");
    let docs = documentation();
    let example = |line: &str, words: &[String]| {
        let line = line.strip_prefix("shop-cli ").unwrap_or_default();
        let mut rest = line.split_whitespace();
        words.iter().all(|word| rest.next() == Some(word))
    };
    for words in &commands {
        let words_in_text = format!("`{}", words.join(" "));
        let shown = docs.lines().any(|line| example(line, words)) || docs.contains(&words_in_text);
        assert!(shown, "docs/cli.md has nothing about `shop-cli {}`", words.join(" "));
    }
    for line in docs.lines().filter(|line| line.starts_with("shop-cli ")) {
        let known = commands.iter().any(|words| example(line, words));
        assert!(known, "there is no such command: {line}");
    }
}

#[test]
fn every_command_has_help_and_refuses_an_unknown_argument() {
    let cli = Cli::new();
    for words in commands(&cli) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let help = cli.run(&[&words[..], &["--help"]].concat(), "");
        assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""), "{words:?}");
        assert!(help.stdout.contains("Usage:"), "{words:?}");
        let wrong = cli.run(&[&words[..], &["--no-such-argument"]].concat(), "");
        assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(2), ""), "{words:?}: {wrong:?}");
    }
    assert!(!cli.dir.path().join("shop.db").exists(), "nothing was opened");
}

#[test]
fn bash_completes_commands_and_values() {
    let cli = Cli::new();
    let script = cli.run(&["completions", "bash"], "").stdout;
    std::fs::write(cli.dir.path().join("shop-cli.bash"), script).expect("written");
    for (typed, completed) in [
        (&["prod"][..], "product"),
        (&["product", "set"], "set-stock"),
        (&["import", "products", "--sk"], "--skip-bad"),
        (&["product", "list", "--format", "j"], "json"),
        (&["completions", "z"], "zsh"),
        (&["product", "set-stock", "--rea"], "--reason"),
    ] {
        let words: Vec<&str> = std::iter::once("shop-cli").chain(typed.iter().copied()).collect();
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let ask = format!(
            "source shop-cli.bash; COMP_WORDS=({}); COMP_CWORD={}; complete=$(complete -p shop-cli); \
             by=${{complete#*-F }}; \"${{by%% *}}\" shop-cli '{last}' '{before}'; \
             echo \"${{COMPREPLY[@]}}\"",
            words.join(" "),
            words.len() - 1
        );
        let mut bash = Command::new("bash");
        let answer = bash.args(["-c", &ask]).current_dir(cli.dir.path()).output().expect("bash");
        let answer = String::from_utf8(answer.stdout).expect("UTF-8");
        assert_eq!(answer.trim(), completed, "{typed:?}");
    }
}

#[test]
fn other_shells_have_scripts_too() {
    let cli = Cli::new();
    assert!(cli.run(&["completions", "zsh"], "").stdout.starts_with("#compdef shop-cli"));
    let fish = cli.run(&["completions", "fish"], "").stdout;
    assert!(fish.contains("complete -c shop-cli") && fish.contains("set-stock"));
    assert_eq!(cli.run(&["completions", "cmd"], "").code, Some(2));
}

#[test]
fn every_command_has_a_page_that_a_typesetter_reads_without_a_word() {
    let cli = Cli::new();
    let folder = cli.dir.path().join("man");
    let written = cli.run(&["man", "--output", "man"], "");
    assert_eq!((written.code, written.stdout.as_str()), (Some(0), ""), "{written:?}");
    for words in commands(&cli) {
        let page = folder.join(format!("shop-cli-{}.1", words.join("-")));
        let text = std::fs::read_to_string(&page).unwrap_or_else(|_| panic!("{}", page.display()));
        let arguments: Vec<&str> =
            ["man"].into_iter().chain(words.iter().map(String::as_str)).collect();
        let printed = cli.run(&arguments, "").stdout;
        assert!(printed.contains(".SH NAME") && text.contains(".SH NAME"), "{words:?}");
        typeset(&text);
    }
    typeset(&cli.run(&["man"], "").stdout);
    assert_eq!(cli.failure(&["man", "no", "such"]).0, 3);
}

/// Whether groff has anything to say, where it is installed.
fn typeset(page: &str) {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("page.1");
    std::fs::write(&file, page).expect("written");
    let mut groff = Command::new("groff");
    let Ok(set) = groff.args(["-man", "-Tutf8", "-ww", "-z"]).arg(&file).output() else { return };
    let said = String::from_utf8_lossy(&set.stderr);
    assert!(set.status.success() && said.is_empty(), "{said}\n{page}");
}
