//! Mails about an account.

use serde::{Deserialize, Serialize};

use super::{reset_link, store};
use crate::clock::Timestamp;
use crate::config::{Config, Secret};
use crate::context::{Context, Work};
use crate::error::Result;
use crate::id::AccountId;
use crate::mail::{
    Class, MailTemplate, Mailbox, Page, RenderedMail, SendToken, button, enqueue_about, greeting,
    paragraph, small,
};
use crate::storage::Tx;
use crate::value::Email;

/// What mails about an account tell.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names of the values say what they are")]
pub enum AccountMail {
    /// To a new customer.
    Welcome {},
    /// A link to choose another password. The link's token is made when the mail is sent.
    PasswordReset { request: String },
    /// The account has another password.
    PasswordChanged { at: Timestamp },
    /// The account has another e-mail. Goes to the one before.
    EmailChanged { at: Timestamp, new: Email },
}

/// Writes a mail to the owner of an account, in the transaction of what it tells about; none to an
/// account without a mailbox ([`Known::mailbox`](super::Known::mailbox)).
pub(crate) fn enqueue_mail(
    tx: &mut dyn Tx,
    at: &Work,
    account: &AccountId,
    mail: &(impl MailTemplate + Serialize),
) -> Result<()> {
    match store::by_id(tx, account)?.and_then(|known| known.mailbox()) {
        Some(to) => enqueue_about(tx, at, account, &to, mail),
        None => Ok(()),
    }
}

impl MailTemplate for AccountMail {
    fn kind(&self) -> &'static str {
        match self {
            Self::Welcome {} => "welcome",
            Self::PasswordReset { .. } => "password-reset",
            Self::PasswordChanged { .. } => "password-changed",
            Self::EmailChanged { .. } => "email-changed",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Welcome {} => Class::Everyday,
            Self::PasswordReset { .. }
            | Self::PasswordChanged { .. }
            | Self::EmailChanged { .. } => Class::Security,
        }
    }

    fn is_secret(&self) -> bool {
        matches!(self, Self::PasswordReset { .. })
    }

    fn issue_token(&self, tx: &mut dyn Tx, now: Timestamp) -> Result<SendToken> {
        let Self::PasswordReset { request } = self else { return Ok(SendToken::None) };
        let token = reset_link::issue_token(tx, request, now)?;
        Ok(token.map_or(SendToken::Expired, |token| SendToken::Issued(Secret::new(token.reveal()))))
    }

    fn render(&self, cx: &Context, to: &Mailbox, token: Option<&Secret>) -> RenderedMail {
        let config = cx.config();
        let page = match self {
            Self::Welcome {} => welcome(config, to),
            Self::PasswordReset { .. } => password_reset(config, to, token),
            Self::PasswordChanged { at } => password_changed(config, to, *at),
            Self::EmailChanged { at, new } => email_changed(to, *at, new),
        };
        page.into()
    }
}

fn welcome(config: &Config, to: &Mailbox) -> Page {
    Page {
        subject: "Boas-vindas! Sua conta está pronta".to_owned(),
        preview: "Acompanhe seus pedidos e compre com mais rapidez.".to_owned(),
        heading: "Que bom ter você aqui".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(
                "Sua conta está pronta. Com ela, você acompanha seus pedidos, guarda seus \
                 endereços e compra com mais rapidez.",
            ),
            button("Visitar a loja", config.mail_link(&config.mail.links.home)),
        ],
    }
}

/// Without a token there is no link: a digest only needs the subject.
fn password_reset(config: &Config, to: &Mailbox, token: Option<&Secret>) -> Page {
    let link = &config.mail.links.reset_password;
    let url = token.map(|token| config.mail_link(&link.replace("{token}", token.reveal())));
    let mut blocks = vec![
        greeting(to),
        paragraph(
            "Recebemos uma solicitação para redefinir a senha da sua conta. O link abaixo vale \
             por 1 hora e só pode ser usado uma vez.",
        ),
    ];
    blocks.extend(url.map(|url| button("Criar nova senha", url)));
    blocks.push(small(
        "Se você não fez essa solicitação, ignore esta mensagem: sua senha continua a mesma.",
    ));
    Page {
        subject: "Redefinição de senha".to_owned(),
        preview: "O link vale por 1 hora.".to_owned(),
        heading: "Vamos criar uma nova senha".to_owned(),
        blocks,
    }
}

fn password_changed(config: &Config, to: &Mailbox, at: Timestamp) -> Page {
    Page {
        subject: "Sua senha foi alterada".to_owned(),
        preview: "Se não foi você, leia esta mensagem.".to_owned(),
        heading: "Sua senha foi alterada".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(format!(
                "A senha da sua conta foi alterada em {} (horário de Brasília). Se foi você, não \
                 é preciso fazer nada.",
                at.local_words()
            )),
            paragraph(
                "Se não foi você, solicite já a redefinição da senha na página de entrada da \
                 loja e responda a este e-mail.",
            ),
            button("Ir para a página de entrada", config.mail_link(&config.mail.links.login)),
        ],
    }
}

/// Goes to the address that the account had, so it does not show the new one in full.
fn email_changed(to: &Mailbox, at: Timestamp, new: &Email) -> Page {
    Page {
        subject: "O e-mail da sua conta foi alterado".to_owned(),
        preview: "Se não foi você, leia esta mensagem.".to_owned(),
        heading: "O e-mail da sua conta foi alterado".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(format!(
                "O e-mail de acesso da sua conta foi alterado para {} em {} (horário de \
                 Brasília). Este endereço não dá mais acesso à conta. Se foi você, não é preciso \
                 fazer nada.",
                masked(new),
                at.local_words()
            )),
            paragraph("Se não foi você, responda a este e-mail o quanto antes."),
        ],
    }
}

/// `n***@example.com`: enough for its owner to know it again.
fn masked(email: &Email) -> String {
    let (name, domain) = email.as_str().rsplit_once('@').unwrap_or_default();
    let first: String = name.chars().take(1).collect();
    format!("{first}***@{domain}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::read_template;

    #[test]
    fn a_mail_comes_back_from_the_outbox() {
        let mail = AccountMail::PasswordReset { request: "018f".to_owned() };
        let kept = serde_json::to_string(&mail).expect("JSON");
        assert_eq!(kept, r#"{"password-reset":{"request":"018f"}}"#);
        let back = read_template::<AccountMail>(&kept).expect("a mail");
        assert_eq!((back.kind(), back.is_secret()), (mail.kind(), true));
        let welcome = read_template::<AccountMail>(r#"{"welcome":{}}"#).expect("a mail");
        assert!(!welcome.is_secret());
        assert!(read_template::<AccountMail>(r#"{"order-placed":{}}"#).is_none());
    }
}
