//! What the command line says about itself; no shop is opened for it.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory, ValueEnum};

use crate::Arguments;
use crate::failure::Failure;
use crate::output::written;

/// A shell that can complete commands.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Debug, Args)]
pub(crate) struct Manual {
    /// The page of this command, e.g. `product import`; without it that of the program
    command: Vec<String>,
    /// Writes the pages of all commands into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    output: Option<PathBuf>,
}

pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let shell = match shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "shop-cli", &mut script);
    // clap_complete 4.6 gives a program with a hyphen two names in its bash script, so that nothing
    // below the first word is completed.
    let script = String::from_utf8_lossy(&script).replace("shop__subcmd__cli", "shop__cli");
    written(io::stdout().write_all(script.as_bytes()))
}

pub(crate) fn manual(manual: &Manual) -> Result<(), Failure> {
    let Manual { command, output } = manual;
    if let Some(folder) = output {
        let pages = std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Arguments::command(), folder));
        return pages.map_err(|error| Failure::file(folder, &error));
    }
    let page = page_of(command)?;
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    written(io::stdout().write_all(&text))
}

/// A command by its words.
fn page_of(words: &[String]) -> Result<Command, Failure> {
    let mut page = Arguments::command();
    page.build();
    for word in words {
        let found = page.find_subcommand(word).cloned();
        page = found.ok_or_else(|| {
            Failure::not_found(format!("there is no such command: {}", words.join(" ")))
        })?;
    }
    Ok(page)
}
