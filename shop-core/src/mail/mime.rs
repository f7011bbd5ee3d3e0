//! A mail as bytes (RFC 5322 and MIME). What people wrote only ever stands in encoded words and in
//! encoded bodies, so no name and no subject can become a header of its own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::clock::Timestamp;
use crate::value::Mailbox;

/// A finished mail.
#[derive(Clone)]
pub struct OutgoingMail {
    /// Its id in the outbox, also in its `Message-ID`: however often it is sent, it is one mail.
    pub id: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// Who sends it.
    pub from: Mailbox,
    /// Who gets it.
    pub to: Mailbox,
    /// Who gets an answer to it, where that is not the sender.
    pub reply_to: Option<Mailbox>,
    /// Where the reader ends mails of this kind, if he can.
    pub unsubscribe_url: Option<String>,
    /// The subject.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The same as a page.
    pub html: String,
}

impl std::fmt::Debug for OutgoingMail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutgoingMail").field("id", &self.id).finish_non_exhaustive()
    }
}

impl OutgoingMail {
    /// The mail as it goes over the wire.
    pub fn to_bytes(&self) -> Vec<u8> {
        let boundary = format!("=_{}", self.id);
        let mut mail: String =
            self.headers(&boundary).iter().map(|(name, value)| line(name, value)).collect();
        for (kind, body) in [("plain", &self.text), ("html", &self.html)] {
            mail.push_str(&part(&boundary, kind, body));
        }
        mail.push_str(&["\r\n--", &boundary, "--\r\n"].concat());
        mail.into_bytes()
    }

    fn headers(&self, boundary: &str) -> Vec<(&'static str, String)> {
        let domain = self.from.email.as_str().rsplit_once('@').map_or("", |(_, domain)| domain);
        let mut headers = vec![
            ("Message-ID", format!("<{}@{domain}>", self.id)),
            ("Date", self.created_at.rfc_2822()),
            ("From", mailbox(&self.from)),
            ("To", mailbox(&self.to)),
        ];
        if let Some(reply_to) = &self.reply_to {
            headers.push(("Reply-To", mailbox(reply_to)));
        }
        if let Some(url) = &self.unsubscribe_url {
            headers.push(("List-Unsubscribe", format!("<{}>", one_line(url))));
            // A POST of this to the link is enough (RFC 8058).
            headers.push(("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()));
        }
        headers.extend([
            ("Subject", words(&self.subject)),
            ("Auto-Submitted", "auto-generated".to_owned()),
            ("MIME-Version", "1.0".to_owned()),
            ("Content-Type", format!("multipart/alternative; boundary=\"{boundary}\"")),
        ]);
        headers
    }
}

fn line(name: &str, value: &str) -> String {
    format!("{name}: {value}\r\n")
}

fn part(boundary: &str, kind: &str, body: &str) -> String {
    let body = base64_lines(body);
    format!(
        "\r\n--{boundary}\r\nContent-Type: text/{kind}; charset=utf-8\r\n\
         Content-Transfer-Encoding: base64\r\n\r\n{body}"
    )
}

/// An e-mail is ASCII without spaces, brackets or control characters (see its type).
fn mailbox(mailbox: &Mailbox) -> String {
    match &mailbox.name {
        // On a line of its own: encoded words fill theirs.
        Some(name) => format!("{}\r\n <{}>", words(name), mailbox.email),
        None => mailbox.email.to_string(),
    }
}

/// A text without the characters that could end a header's line.
fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_control() || c.is_whitespace())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// A text for a header (RFC 2047): letters, digits and spaces as they are, anything else in encoded
/// words of at most 75 characters, each of which holds whole characters.
fn words(text: &str) -> String {
    const BYTES: usize = 36;
    let text = one_line(text);
    let plain = |b: u8| b.is_ascii_alphanumeric() || b" -_".contains(&b);
    if text.len() <= 40 && text.bytes().all(plain) {
        return text;
    }
    let mut pieces = vec![String::new()];
    for c in text.chars() {
        if pieces.last().is_some_and(|piece| piece.len() + c.len_utf8() > BYTES) {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
    }
    let encoded = pieces.iter().map(|piece| format!("=?utf-8?B?{}?=", STANDARD.encode(piece)));
    encoded.collect::<Vec<_>>().join("\r\n ")
}

/// Base64 in lines of 76 characters.
fn base64_lines(text: &str) -> String {
    let encoded = STANDARD.encode(text);
    let mut lines = String::with_capacity(encoded.len() + encoded.len() / 30);
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(76));
        lines.push_str(line);
        lines.push_str("\r\n");
        rest = after;
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mail(name: &str, subject: &str) -> String {
        let mailbox = |name: &str| Mailbox {
            name: Some(name.to_owned()),
            email: "ana@example.com".parse().expect("an e-mail"),
        };
        let mail = OutgoingMail {
            id: "018f".to_owned(),
            created_at: Timestamp::from_millis(1_795_266_068_000),
            from: mailbox("Loja de Velas"),
            to: mailbox(name),
            reply_to: Some(mailbox(name)),
            unsubscribe_url: None,
            subject: subject.to_owned(),
            text: "Olá!".to_owned(),
            html: "<p>Olá!</p>".to_owned(),
        };
        String::from_utf8(mail.to_bytes()).expect("ASCII")
    }

    #[test]
    fn a_mail_is_what_mail_servers_read() {
        let expected = "Message-ID: <018f@example.com>\r\n\
            Date: Sat, 21 Nov 2026 13:01:08 +0000\r\n\
            From: Loja de Velas\r\n <ana@example.com>\r\n\
            To: Ana\r\n <ana@example.com>\r\n\
            Reply-To: Ana\r\n <ana@example.com>\r\n\
            Subject: =?utf-8?B?T2zDoSE=?=\r\n\
            Auto-Submitted: auto-generated\r\n\
            MIME-Version: 1.0\r\n\
            Content-Type: multipart/alternative; boundary=\"=_018f\"\r\n\
            \r\n--=_018f\r\n\
            Content-Type: text/plain; charset=utf-8\r\n\
            Content-Transfer-Encoding: base64\r\n\r\nT2zDoSE=\r\n\
            \r\n--=_018f\r\n\
            Content-Type: text/html; charset=utf-8\r\n\
            Content-Transfer-Encoding: base64\r\n\r\nPHA+T2zDoSE8L3A+\r\n\
            \r\n--=_018f--\r\n";
        assert_eq!(mail("Ana", "Olá!"), expected);
    }

    proptest! {
        #[test]
        fn nobody_writes_a_header_of_his_own(name in ".{0,200}", subject in "(?s).{0,400}") {
            let evil = format!("{subject}\r\nBcc: x@example.com\r\n\r\n{name}");
            let mail = mail(&evil, &evil);
            let (head, _) = mail.split_once("\r\n\r\n").expect("a head");
            let unfolded = head.replace("\r\n ", " ");
            let names: Vec<&str> =
                unfolded.split("\r\n").filter_map(|line| line.split_once(':')).map(|h| h.0).collect();
            prop_assert_eq!(names, [
                "Message-ID", "Date", "From", "To", "Reply-To", "Subject", "Auto-Submitted",
                "MIME-Version", "Content-Type",
            ]);
            prop_assert!(mail.is_ascii());
            prop_assert!(mail.lines().all(|line| line.len() <= 78));
            prop_assert!(!mail.replace("\r\n", "").contains(['\r', '\n']));
        }
    }
}
