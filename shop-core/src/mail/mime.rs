//! A mail as bytes (RFC 5322 and MIME). Texts that people wrote lose their line breaks before they
//! stand in a header, so no name and no subject can become a header of its own.

use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::raw::Raw;
use mail_builder::headers::url::URL;
use mail_builder::mime::MimePart;

use crate::clock::Timestamp;
use crate::value::Mailbox;

/// A finished mail.
#[derive(Clone)]
#[non_exhaustive]
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
    /// The link by which the recipient ends mails of this kind, if there is one.
    pub unsubscribe_url: Option<String>,
    /// The subject.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The same as a page.
    pub html: String,
    /// The files that come with it.
    pub attachments: Vec<Attachment>,
}

/// A file that comes with a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attachment {
    /// What it is called, e.g. `danfe.pdf`.
    pub name: String,
    /// What it is, e.g. `application/pdf`.
    pub content_type: &'static str,
    /// What is in it.
    pub bytes: Vec<u8>,
}

opaque! { OutgoingMail { id }; }

impl OutgoingMail {
    /// The mail as it goes over the wire. It has the same bytes each time.
    pub fn to_bytes(&self) -> Vec<u8> {
        let domain = self.from.email.as_str().rsplit_once('@').map_or("", |(_, domain)| domain);
        let mut mail = MessageBuilder::new()
            .message_id(format!("{}@{domain}", self.id))
            .date(self.created_at.seconds())
            .from(address(&self.from))
            .to(address(&self.to));
        if let Some(reply_to) = &self.reply_to {
            mail = mail.reply_to(address(reply_to));
        }
        if let Some(url) = &self.unsubscribe_url {
            mail = mail
                .header("List-Unsubscribe", URL::new(one_line(url)))
                // A POST of this to the link is enough (RFC 8058).
                .header("List-Unsubscribe-Post", Raw::new("List-Unsubscribe=One-Click"));
        }
        let parts = vec![MimePart::new("text/plain", self.text.as_str()), html_part(&self.html)];
        let text = self.multipart("alternative", "", parts);
        let body = if self.attachments.is_empty() {
            text
        } else {
            let file = |it: &'_ Attachment| {
                MimePart::new(it.content_type, it.bytes.clone()).attachment(one_line(&it.name))
            };
            let files = self.attachments.iter().map(file);
            self.multipart("mixed", "-mixed", std::iter::once(text).chain(files).collect())
        };
        let mut bytes = Vec::new();
        mail.subject(one_line(&self.subject))
            .header("Auto-Submitted", Raw::new("auto-generated"))
            .body(body)
            .serialize(&mut bytes);
        bytes
    }

    /// Parts with a boundary that is the same each time.
    fn multipart<'a>(&self, kind: &str, suffix: &str, parts: Vec<MimePart<'a>>) -> MimePart<'a> {
        let content_type = ContentType::new(format!("multipart/{kind}"));
        let boundary = format!("=_{}{suffix}", self.id);
        MimePart::new(content_type.attribute("boundary", boundary), parts)
    }
}

/// The page of a mail. Printable ASCII in lines of up to 998 bytes needs no encoding (`7bit`; RFC
/// 5322, 2.1.1), so that links stay whole in a mail's source; the builder would encode lines of
/// more than 77.
fn html_part(html: &str) -> MimePart<'_> {
    let is_plain = |line: &str| line.len() <= 998 && line.bytes().all(|b| matches!(b, b' '..=b'~'));
    if html.split('\n').all(is_plain) {
        MimePart::new("text/html", html.replace('\n', "\r\n")).transfer_encoding("7bit")
    } else {
        MimePart::new("text/html", html)
    }
}

fn address(mailbox: &Mailbox) -> Address<'_> {
    Address::new_address(mailbox.name.as_deref().map(one_line), mailbox.email.as_str())
}

/// A text without the characters that could end a header's line, and without what a reader would
/// decode as an encoded word (RFC 2047), which may have them.
fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_control() || c.is_whitespace())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
        .replace("=?", "= ?")
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
            attachments: Vec::new(),
        };
        String::from_utf8(mail.to_bytes()).expect("ASCII")
    }

    #[test]
    fn a_mail_is_what_mail_servers_read() {
        let expected = "Message-ID: <018f@example.com>\r\n\
            Date: Sat, 21 Nov 2026 13:01:08 +0000\r\n\
            From: \"Loja de Velas\" <ana@example.com>\r\n\
            To: \"Ana\" <ana@example.com>\r\n\
            Reply-To: \"Ana\" <ana@example.com>\r\n\
            Subject: =?utf-8?B?T2zDoSE=?=\r\n\
            Auto-Submitted: auto-generated\r\n\
            MIME-Version: 1.0\r\n\
            Content-Type: multipart/alternative; boundary=\"=_018f\"\r\n\
            \r\n--=_018f\r\n\
            Content-Type: text/plain; charset=\"utf-8\"\r\n\
            Content-Transfer-Encoding: quoted-printable\r\n\r\nOl=C3=A1!\
            \r\n--=_018f\r\n\
            Content-Type: text/html; charset=\"utf-8\"\r\n\
            Content-Transfer-Encoding: quoted-printable\r\n\r\n<p>Ol=C3=A1!</p>\
            \r\n--=_018f--\r\n";
        assert_eq!(mail("Ana", "Olá!"), expected);
    }

    #[test]
    fn a_file_stands_beside_the_text_and_its_name_breaks_no_header() {
        let mailbox =
            |email: &str| Mailbox { name: None, email: email.parse().expect("an e-mail") };
        let file = Attachment {
            name: "nota\r\nBcc: x@example.com.xml".to_owned(),
            content_type: "application/xml",
            bytes: b"<a/>".to_vec(),
        };
        let mail = OutgoingMail {
            id: "018f".to_owned(),
            created_at: Timestamp::from_millis(1_795_266_068_000),
            from: mailbox("loja@example.com"),
            to: mailbox("ana@example.com"),
            reply_to: None,
            unsubscribe_url: None,
            subject: "Nota fiscal".to_owned(),
            text: "Olá!".to_owned(),
            html: "<p>Olá!</p>".to_owned(),
            attachments: vec![file],
        };
        let (bytes, again) = (mail.to_bytes(), mail.to_bytes());
        assert_eq!(bytes, again, "the same bytes each time");
        let text = String::from_utf8(bytes).expect("ASCII");
        for part in [
            "Content-Type: multipart/mixed; boundary=\"=_018f-mixed\"",
            "Content-Type: multipart/alternative; boundary=\"=_018f\"",
            "Content-Disposition: attachment; filename=\"nota Bcc: x@example.com.xml\"",
            "PGEvPg==",
            "\r\n--=_018f-mixed--\r\n",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }

    #[test]
    fn a_page_of_ascii_goes_as_it_is_unless_a_line_is_too_long_for_mail_servers() {
        let encoding = |html: &str| {
            let mut mail = Vec::new();
            html_part(html).write_part(&mut mail);
            String::from_utf8(mail).expect("ASCII")
        };
        let line = |length: usize| format!("<p>{}</p>", "=".repeat(length - 7));
        let plain = encoding(&format!("{}\n{}\n", line(998), line(20)));
        assert!(plain.contains("Content-Transfer-Encoding: 7bit\r\n\r\n<p>="), "{plain}");
        assert!(plain.ends_with("==</p>\r\n<p>=============</p>\r\n"), "{plain}");
        let other = |it: &str| line(100) + it;
        for encoded in [line(999), other("Olá"), other("a\rb"), other("a\0b")] {
            let part = encoding(&encoded);
            assert!(!part.contains("7bit"), "{part}");
        }
    }

    #[test]
    fn an_encoded_word_that_was_typed_is_not_decoded() {
        let typed = "=?utf-8?q?=0d=0aBcc:_z@evil.example?=";
        let mail = mail(typed, typed);
        let (head, _) = mail.split_once("\r\n\r\n").expect("a head");
        assert!(!head.contains("=?utf-8?q?"), "{head}");
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
