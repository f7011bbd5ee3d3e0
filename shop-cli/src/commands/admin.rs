use std::io::{BufRead, Read};

use clap::{Args, Subcommand};
use shop_core::Shop;
use shop_core::account::{Account, NewPassword, Register, SetActive};
use shop_core::actor::Actor;
use shop_core::value::{Email, Text};

use crate::failure::Failure;
use crate::output::{Format, Table};

/// The accounts that run the shop.
#[derive(Debug, Subcommand)]
pub(crate) enum Admin {
    /// Creates an account that runs the shop
    Create(Create),
    /// Lists the accounts that run the shop, oldest first
    List,
    /// Gives an account that runs the shop another password; its sessions are over
    ResetPassword {
        /// What the person logs in with
        #[arg(value_parser = parse_email)]
        email: Email,
        /// Reads the password from the first line of stdin: on the command line all would see it
        #[arg(long, required = true)]
        password_stdin: bool,
    },
    /// Ends the two-factor log-ins of an account that runs the shop, whose authenticator and
    /// recovery codes are lost; its sessions are over
    ResetTotp {
        /// What the person logs in with
        #[arg(value_parser = parse_email)]
        email: Email,
    },
    /// Keeps an account that runs the shop out: its sessions are over and it cannot log in; the
    /// last one that can is refused
    Suspend {
        /// What the person logs in with
        #[arg(value_parser = parse_email)]
        email: Email,
    },
    /// Lets a suspended account in again
    Activate {
        /// What the person logs in with
        #[arg(value_parser = parse_email)]
        email: Email,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The person's name
    #[arg(long, value_parser = parse_name)]
    name: Text<2, 120>,
    /// What the person will log in with; no other account may have it
    #[arg(long, value_parser = parse_email)]
    email: Email,
    /// Reads the password from the first line of stdin: on the command line all would see it
    #[arg(long, required = true)]
    password_stdin: bool,
}

impl Admin {
    pub(crate) async fn run(self, shop: &Shop, format: Format) -> Result<(), Failure> {
        let (accounts, by) = (shop.accounts(), Actor::System);
        let account = match self {
            Self::List => {
                let admins = accounts.list_admins().await?;
                return format.write(&admins, || table(&admins));
            }
            Self::Create(Create { name, email, password_stdin: _ }) => {
                let password = read_password()?;
                accounts.create_admin(Register { name, email, password }).await?
            }
            Self::ResetPassword { email, password_stdin: _ } => {
                let password = read_password()?;
                let admin = accounts.get_by_email(&email).await?;
                accounts.set_admin_password(&by, &admin.id, password).await?
            }
            Self::ResetTotp { email } => {
                let admin = accounts.get_by_email(&email).await?;
                shop.two_factor().reset(&by, &admin.id).await?
            }
            Self::Suspend { email } => {
                let admin = accounts.get_by_email(&email).await?;
                accounts.set_admin_active(&by, &admin.id, SetActive { active: false }).await?
            }
            Self::Activate { email } => {
                let admin = accounts.get_by_email(&email).await?;
                accounts.set_admin_active(&by, &admin.id, SetActive { active: true }).await?
            }
        };
        format.write(&account, || table(std::slice::from_ref(&account)))
    }
}

fn table(accounts: &[Account]) -> Table<5> {
    let row = |account: &Account| {
        let state = if account.is_active { "active" } else { "suspended" };
        [
            account.id.to_string(),
            account.name.clone(),
            account.email.to_string(),
            account.role.as_str().to_owned(),
            state.to_owned(),
        ]
    };
    Table {
        head: ["ID", "NAME", "EMAIL", "ROLE", "STATE"],
        rows: accounts.iter().map(row).collect(),
    }
}

/// One line, of which only the line's end is not part of the password, nor a byte order mark: some
/// editors put one before any text.
fn read_password() -> Result<NewPassword, Failure> {
    let mut line = String::new();
    // Far more than a password may have.
    std::io::stdin()
        .lock()
        .take(4096)
        .read_line(&mut line)
        .map_err(|error| Failure::new(format!("password: {error}")))?;
    let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    line.parse().map_err(|_| Failure::new("password: it must have 8 to 128 characters"))
}

fn parse_name(text: &str) -> Result<Text<2, 120>, &'static str> {
    text.parse().map_err(|_| "it must have 2 to 120 characters")
}

pub(super) fn parse_email(text: &str) -> Result<Email, &'static str> {
    text.parse().map_err(|_| "it is no e-mail address")
}
