//! Letters about an account.

use super::{button, greeting, paragraph, small};
use crate::account::ResetToken;
use crate::clock::Timestamp;
use crate::mail::mailbox::Mailbox;
use crate::mail::page::Page;
use crate::value::Email;

pub(super) fn welcome(base_url: &str, to: &Mailbox) -> Page {
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
            button("Visitar a loja", format!("{base_url}/")),
        ],
    }
}

/// Without a token there is no link: a digest only needs the subject.
pub(super) fn password_reset(base_url: &str, to: &Mailbox, token: Option<&ResetToken>) -> Page {
    let url = token.map(|token| format!("{base_url}/reset-password?token={}", token.reveal()));
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

pub(super) fn password_changed(base_url: &str, to: &Mailbox, at: Timestamp) -> Page {
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
            button("Ir para a página de entrada", format!("{base_url}/login")),
        ],
    }
}

/// Goes to the address that the account had, so it does not show the new one in full.
pub(super) fn email_changed(to: &Mailbox, at: Timestamp, new: &Email) -> Page {
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
