//! A mail server (RFC 5321) that keeps what it takes.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mailparse::{MailHeader, MailHeaderMap, ParsedMail, addrparse_header};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// What the server says to a mail once it has read it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SmtpBehaviour {
    /// Takes it.
    Takes,
    /// Refuses it for now.
    Busy,
    /// Refuses it for good, and repeats all of it in the refusal.
    RefusesAndRepeats,
    /// Refuses whoever comes, before any mail.
    RefusesEverybody,
    /// Refuses senders that did not log in.
    WantsALogin,
    /// Refuses the sender, who has sent too many today.
    RefusesTheSender,
}

/// A mail as it came.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// The conversation's commands, without the mail itself.
    pub(crate) commands: Vec<String>,
    /// The head and the body, with the dots of the wire taken away.
    pub(crate) data: String,
}

/// A mail server on a port of its own.
pub(crate) struct SmtpServer {
    pub(crate) address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    serving: tokio::task::JoinHandle<()>,
}

impl SmtpServer {
    pub(crate) async fn start(behaviour: SmtpBehaviour) -> Self {
        Self::start_at("127.0.0.1:0".parse().expect("an address"), behaviour).await
    }

    pub(crate) async fn start_at(address: SocketAddr, behaviour: SmtpBehaviour) -> Self {
        let listener = TcpListener::bind(address).await.expect("the port is free");
        let address = listener.local_addr().expect("an address");
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let kept = Arc::clone(&received);
        let serving = tokio::spawn(async move {
            let mut conversations = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                conversations.spawn(converse(stream, behaviour, Arc::clone(&kept)));
            }
        });
        Self { address, received, serving }
    }

    /// Hangs up on everybody and gives the port free. What was received stays with the caller.
    pub(crate) async fn stop(self) -> Vec<Received> {
        self.serving.abort();
        drop(self.serving.await);
        self.received.lock().expect("a lock").clone()
    }

    pub(crate) fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().expect("a lock").clone()
    }

    /// Waits until so many mails are there.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<Received> {
        let begun = Instant::now();
        loop {
            let received = self.received();
            if received.len() >= count {
                return received;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "only {} mails", received.len());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// One conversation, to its end; whatever breaks its rules ends it.
async fn converse(stream: TcpStream, behaviour: SmtpBehaviour, kept: Arc<Mutex<Vec<Received>>>) {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader);
    let mut commands: Vec<String> = Vec::new();
    let mut say = async |text: String| writer.write_all(text.as_bytes()).await.is_ok();
    if let SmtpBehaviour::RefusesEverybody = behaviour {
        say("554 no mail is taken here\r\n".to_owned()).await;
        return;
    }
    if !say("220 mail.example.com ready\r\n".to_owned()).await {
        return;
    }
    while let Some(line) = read_line(&mut lines).await {
        let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        let before = commands.last().cloned().unwrap_or_default();
        commands.push(line.clone());
        let answer = match &*verb {
            "EHLO" if before.is_empty() => "250-mail.example.com\r\n250 8BITMIME\r\n".to_owned(),
            "NOOP" => "250 ok\r\n".to_owned(),
            "MAIL" if matches!(behaviour, SmtpBehaviour::WantsALogin) => {
                "530 5.7.0 Authentication required\r\n".to_owned()
            }
            "MAIL" if matches!(behaviour, SmtpBehaviour::RefusesTheSender) => {
                "550-5.4.5 Daily user sending limit exceeded.\r\n550 5.4.5 Try tomorrow\r\n"
                    .to_owned()
            }
            "MAIL" if before.starts_with("EHLO ") => "250 ok\r\n".to_owned(),
            "RCPT" if before.starts_with("MAIL FROM:<") => "250 ok\r\n".to_owned(),
            "DATA" if before.starts_with("RCPT TO:<") => {
                if !say("354 go on\r\n".to_owned()).await {
                    return;
                }
                let Some(data) = read_data(&mut lines).await else { return };
                let answer = verdict(behaviour, &data);
                kept.lock().expect("a lock").push(Received { commands: commands.clone(), data });
                answer
            }
            "QUIT" => {
                if let Some(last) = kept.lock().expect("a lock").last_mut() {
                    last.commands.push(line);
                }
                "221 bye\r\n".to_owned()
            }
            _ => "503 not now\r\n".to_owned(),
        };
        if !say(answer).await || verb == "QUIT" {
            return;
        }
    }
}

fn verdict(behaviour: SmtpBehaviour, data: &str) -> String {
    match behaviour {
        SmtpBehaviour::Busy => "451 try again later\r\n".to_owned(),
        SmtpBehaviour::RefusesAndRepeats => {
            let mail = Received { commands: Vec::new(), data: data.to_owned() };
            let text = mail.text().replace(['\r', '\n'], " ");
            format!("554 we do not want this: {text}\r\n")
        }
        _ => "250 queued\r\n".to_owned(),
    }
}

/// A line that ends as SMTP wants it, without its end.
async fn read_line(lines: &mut BufReader<tokio::net::tcp::OwnedReadHalf>) -> Option<String> {
    let mut line = String::new();
    lines.read_line(&mut line).await.ok().filter(|read| *read > 0)?;
    line.strip_suffix("\r\n").map(str::to_owned)
}

async fn read_data(lines: &mut BufReader<tokio::net::tcp::OwnedReadHalf>) -> Option<String> {
    let mut data = String::new();
    loop {
        let line = read_line(lines).await?;
        if line == "." {
            return Some(data);
        }
        data.push_str(line.strip_prefix('.').unwrap_or(&line));
        data.push_str("\r\n");
    }
}

/// The text in its several forms.
const ALTERNATIVE: &str = "multipart/alternative";

impl Received {
    /// A header's value, in one line and in plain text; a mailbox as `name <address>`.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let mail = self.parsed();
        let found = mail.headers.get_all_headers(name);
        assert!(found.len() < 2, "{name} twice");
        let header = found.first()?;
        if !["From", "To", "Reply-To"].contains(&name) {
            return Some(header.get_value());
        }
        let mailbox = addrparse_header(header).expect("an address").extract_single_info();
        let mailbox = mailbox.expect("one mailbox");
        Some(match mailbox.display_name {
            Some(name) => format!("{name} <{}>", mailbox.addr),
            None => mailbox.addr,
        })
    }

    /// The names of all headers.
    pub(crate) fn header_names(&self) -> Vec<String> {
        self.parsed().headers.iter().map(MailHeader::get_key).collect()
    }

    pub(crate) fn text(&self) -> String {
        self.part("text/plain")
    }

    /// The page, with characters instead of numeric references, as a reader sees it.
    pub(crate) fn html(&self) -> String {
        let page = self.part("text/html");
        let mut pieces = page.split("&#");
        let mut html = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (number, rest) = piece.split_once(';').expect("a numeric reference");
            let number = number.parse().expect("a number");
            match char::from_u32(number).expect("a character") {
                '\'' => html.push_str("&#39;"),
                numbered => html.push(numbered),
            }
            html.push_str(rest);
        }
        html
    }

    /// The files that came with it, by their names.
    pub(crate) fn attachments(&self) -> Vec<(String, Vec<u8>)> {
        let mail = self.parsed();
        let file = |part: &ParsedMail<'_>| {
            let disposition = part.get_content_disposition();
            let name = disposition.params.get("filename")?.clone();
            Some((name, part.get_body_raw().expect("its bytes")))
        };
        mail.subparts.iter().filter_map(file).collect()
    }

    fn part(&self, kind: &str) -> String {
        let mail = self.parsed();
        // With files, the text is one part of several.
        let text = mail.subparts.iter().find(|part| part.ctype.mimetype == ALTERNATIVE);
        let text = text.unwrap_or(&mail);
        let mut parts = text.subparts.iter().filter(|part| part.ctype.mimetype == kind);
        let (part, another) = (parts.next().expect("the part"), parts.next());
        assert!(another.is_none(), "{kind} twice");
        // A mail ends its lines in CRLF.
        part.get_body().expect("its text").replace("\r\n", "\n")
    }

    fn parsed(&self) -> ParsedMail<'_> {
        mailparse::parse_mail(self.data.as_bytes()).expect("a mail")
    }

    /// The address of the envelope, not of the head.
    pub(crate) fn recipient(&self) -> String {
        let command = self.commands.iter().find_map(|line| line.strip_prefix("RCPT TO:<"));
        command.and_then(|rest| rest.split('>').next()).expect("a recipient").to_owned()
    }
}
