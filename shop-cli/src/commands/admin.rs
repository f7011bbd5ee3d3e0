use clap::{Args, Subcommand};
use shop_core::Shop;
use shop_core::account::{Account, NewPassword, Register};
use shop_core::value::{Email, Text};

use crate::failure::Failure;
use crate::output::{Format, Table};

/// The accounts that run the shop.
#[derive(Debug, Subcommand)]
pub(crate) enum Admin {
    /// Creates an account that runs the shop
    Create(Create),
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The person's name
    #[arg(long, value_parser = parse_name)]
    name: Text<1, 120>,
    /// What the person will log in with; no other account may have it
    #[arg(long, value_parser = parse_email)]
    email: Email,
    /// Reads the password from the first line of stdin: on the command line all would see it
    #[arg(long, required = true)]
    password_stdin: bool,
}

impl Admin {
    pub(crate) async fn run(self, shop: &Shop, format: Format) -> Result<(), Failure> {
        match self {
            Self::Create(Create { name, email, password_stdin: _ }) => {
                let password = read_password()?;
                let input = Register { name, email, password };
                let account = shop.accounts().create_admin(input).await?;
                format.write(&account, || table(&account))
            }
        }
    }
}

fn table(account: &Account) -> Table<4> {
    Table {
        head: ["ID", "NAME", "EMAIL", "ROLE"],
        rows: vec![[
            account.id.to_string(),
            account.name.clone(),
            account.email.to_string(),
            account.role.as_str().to_owned(),
        ]],
    }
}

/// One line, of which only the line's end is not part of the password.
fn read_password() -> Result<NewPassword, Failure> {
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .map_err(|error| Failure::new(format!("password: {error}")))?;
    let line = line.strip_suffix('\n').unwrap_or(&line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    line.parse().map_err(|_| Failure::new("password: it must have 8 to 128 characters"))
}

fn parse_name(text: &str) -> Result<Text<1, 120>, &'static str> {
    text.parse().map_err(|_| "it must have 1 to 120 characters")
}

fn parse_email(text: &str) -> Result<Email, &'static str> {
    text.parse().map_err(|_| "it is no e-mail address")
}
