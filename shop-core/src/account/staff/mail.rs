//! Mails about the second factor of an account that runs the shop.

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::config::Secret;
use crate::context::Context;
use crate::mail::{Class, MailTemplate, Mailbox, Page, RenderedMail, button, greeting, paragraph};

/// What mails about two-factor log-ins tell.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names of the values say what they are")]
pub enum TwoFactorMail {
    /// Log-ins ask for a code from now on.
    #[serde(rename = "two-factor-enabled")]
    Enabled { at: Timestamp },
    /// Log-ins ask for no code any more.
    #[serde(rename = "two-factor-disabled")]
    Disabled { at: Timestamp },
    /// There are new recovery codes, and those of before are over.
    #[serde(rename = "recovery-codes-renewed")]
    RecoveryCodesRenewed { at: Timestamp },
    /// Log-ins ask for no code any more, and the shop's operator did it, not the account's owner.
    #[serde(rename = "two-factor-reset")]
    Reset { at: Timestamp },
}

impl MailTemplate for TwoFactorMail {
    fn kind(&self) -> &'static str {
        match self {
            Self::Enabled { .. } => "two-factor-enabled",
            Self::Disabled { .. } => "two-factor-disabled",
            Self::RecoveryCodesRenewed { .. } => "recovery-codes-renewed",
            Self::Reset { .. } => "two-factor-reset",
        }
    }

    fn class(&self) -> Class {
        Class::Security
    }

    fn render(&self, cx: &Context, to: &Mailbox, _: Option<&Secret>) -> RenderedMail {
        let (heading, told, advice) = self.words();
        Page {
            subject: heading.to_owned(),
            preview: "Se não foi você, leia esta mensagem.".to_owned(),
            heading: heading.to_owned(),
            blocks: vec![
                greeting(to),
                paragraph(told),
                paragraph(advice),
                button(
                    "Ir para a página de entrada",
                    cx.config().mail_link(&cx.config().mail.links.login),
                ),
            ],
        }
        .into()
    }
}

impl TwoFactorMail {
    /// The heading, what happened, and what to do about it.
    fn words(&self) -> (&'static str, String, &'static str) {
        let when = |at: &Timestamp| format!("{} (horário de Brasília)", at.local_words());
        match self {
            Self::Enabled { at } => (
                "A verificação em duas etapas está ativa",
                format!(
                    "A verificação em duas etapas da sua conta foi ativada em {}. A partir de \
                     agora, cada entrada pede um código do seu aplicativo autenticador. Guarde os \
                     códigos de recuperação em lugar seguro.",
                    when(at)
                ),
                "Se não foi você, altere sua senha e fale já com quem administra o servidor da \
                 loja.",
            ),
            Self::Disabled { at } => (
                "A verificação em duas etapas foi desativada",
                format!(
                    "A verificação em duas etapas da sua conta foi desativada em {}. As próximas \
                     entradas pedem apenas a senha.",
                    when(at)
                ),
                "Se não foi você, altere sua senha e ative a verificação novamente.",
            ),
            Self::RecoveryCodesRenewed { at } => (
                "Seus códigos de recuperação foram trocados",
                format!(
                    "Novos códigos de recuperação da sua conta foram criados em {}. Os anteriores \
                     não valem mais.",
                    when(at)
                ),
                "Se não foi você, altere sua senha, crie outros códigos e encerre as outras \
                 sessões da sua conta.",
            ),
            Self::Reset { at } => (
                "A verificação em duas etapas foi redefinida",
                format!(
                    "Quem administra o servidor da loja removeu a verificação em duas etapas da \
                     sua conta em {} e encerrou as suas sessões. As próximas entradas pedem apenas \
                     a senha.",
                    when(at)
                ),
                "Se você não pediu isso, altere sua senha. Depois, ative a verificação novamente.",
            ),
        }
    }
}
