//! The fenced blocks of a document.

/// What a block is, by its first word and its mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `sh`: run, in order, in one terminal. `sh needs: PROGRAM` only where `PROGRAM --help` works.
    Shell,
    /// `sh background`: run in a terminal of its own; the next one waits until it listens.
    Background,
    /// `sh no-run: REASON`.
    LeftOut,
    /// `text output`: what the shell block before it shows. `…` is whatever stands there.
    Output,
    /// `toml`: settings of a shop.
    Settings,
    /// `toml cargo`: a piece of a manifest.
    Manifest,
    /// `json`.
    Json,
    /// `rust`.
    Rust,
    /// `ini`: a unit of systemd.
    Unit,
    /// `nginx`.
    Nginx,
    /// `caddyfile`.
    Caddy,
    /// `yaml`, `dockerfile`, `text`, `ts`: for people, or tried elsewhere.
    Other,
}

/// What stands before the program that a block of commands needs.
const NEEDS: &str = "needs: ";

/// A fenced block.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// The line of its fence, from 1.
    pub(super) line: usize,
    /// What stands behind its language.
    pub(super) mark: String,
    pub(super) text: String,
}

impl Block {
    /// The program without which these commands are left out.
    pub(super) fn needs(&self) -> Option<&str> {
        self.mark.strip_prefix(NEEDS)
    }
}

/// All blocks of a document. One that does not say what it is fails the test.
pub(super) fn all(name: &str, document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (i, line) in document.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(info), None) => open = Some(begin(name, i + 1, info.trim())),
            (None, Some(block)) => block.text.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{name}: a block has no end");
    blocks
}

fn begin(name: &str, line: usize, info: &str) -> Block {
    let (language, mark) = info.split_once(' ').unwrap_or((info, ""));
    let kind = match (language, mark) {
        ("sh", mark) if mark.is_empty() || mark.starts_with(NEEDS) => Kind::Shell,
        ("sh", "background") => Kind::Background,
        ("sh", mark) if mark.strip_prefix("no-run: ").is_some_and(|it| it.len() > 3) => {
            Kind::LeftOut
        }
        ("text", "output") => Kind::Output,
        ("toml", "") => Kind::Settings,
        ("toml", "cargo") => Kind::Manifest,
        ("json", "") => Kind::Json,
        ("rust", "") => Kind::Rust,
        ("ini", "") => Kind::Unit,
        ("nginx", "") => Kind::Nginx,
        ("caddyfile", "") => Kind::Caddy,
        ("yaml" | "dockerfile" | "text" | "ts" | "sql", "") => Kind::Other,
        _ => panic!("{name}:{line}: ```{info} does not say what to do with the block"),
    };
    Block { kind, line, mark: mark.to_owned(), text: String::new() }
}
