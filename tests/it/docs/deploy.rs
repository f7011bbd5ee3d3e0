//! The service unit and the proxies of `docs/operating.md`, tried where these programs are: each
//! proxy stands in front of a real server, and hands on who asks.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::block::Kind;
use super::blocks;
use crate::binary::Server;

/// The shop's name in the documents.
const HOST: &str = "loja.example";

#[test]
fn the_service_unit_is_understood_by_systemd() {
    if !is_there("systemd-analyze") {
        return eprintln!("left out: systemd-analyze is not here");
    }
    for (place, block) in blocks(Kind::Unit) {
        let folder = tempfile::tempdir().expect("a folder");
        let name = match &block.text {
            text if text.contains("[Timer]") => "backup.timer",
            text if text.contains("[Socket]") => "shop.socket",
            text if text.contains("Type=oneshot") => "backup.service",
            _ => "shop.service",
        };
        // The programs are not where they will be installed.
        let unit = block.text.replace("/usr/local/bin/", "/bin/true ");
        fs::write(folder.path().join(name), unit).expect("written");
        let service = "[Service]\nType=oneshot\nExecStart=/bin/true\n";
        if let "backup.timer" | "shop.socket" = name {
            let started = name.replace(".timer", ".service").replace(".socket", ".service");
            fs::write(folder.path().join(started), service).expect("written");
        }
        let unit = folder.path().join(name);
        let verified = Command::new("systemd-analyze").arg("verify").arg(unit).output();
        let verified = verified.expect("runs");
        let said = String::from_utf8_lossy(&verified.stderr);
        let about = said.lines().filter(|line| line.contains(name) && !line.contains("man page"));
        let about: Vec<&str> = about.collect();
        assert!(about.is_empty(), "{place}: {about:?}");
    }
}

#[test]
fn nginx_hands_on_who_asks() {
    if !is_there("nginx") || !is_there("openssl") || !is_there("curl") {
        return eprintln!("left out: nginx, openssl or curl is not here");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let shop = server(folder.path());
    let (place, block) = blocks(Kind::Nginx).pop().expect("a configuration of nginx");
    let port = free_port();
    let here = folder.path().display().to_string();
    certificate(folder.path());
    let site = block
        .text
        // Before the shop's own address, whose port may hold these digits.
        .replace("443", &port.to_string())
        .replace("127.0.0.1:8080", &shop.address)
        .replace("listen 80;", &format!("listen {};", free_port()))
        .replace("listen [::]", "#")
        .replace("/etc/letsencrypt/live/loja.example", &here);
    let main = format!(
        "daemon off; pid {here}/pid; error_log stderr;\n\
         events {{}}\nhttp {{ access_log off; client_body_temp_path {here}/body;\n\
         proxy_temp_path {here}/proxy; fastcgi_temp_path {here}/f; uwsgi_temp_path {here}/u;\n\
         scgi_temp_path {here}/s;\n{site}\n}}\n"
    );
    fs::write(folder.path().join("nginx.conf"), main).expect("written");
    let arguments = ["-p", &here, "-c", "nginx.conf"];
    let _proxy = Proxy::start(&place, folder.path(), "nginx", &arguments, port);
    check_addresses(port);
}

#[test]
fn caddy_hands_on_who_asks() {
    if !is_there("caddy") || !is_there("curl") {
        return eprintln!("left out: caddy or curl is not here");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let shop = server(folder.path());
    let (place, block) = blocks(Kind::Caddy).pop().expect("a configuration of Caddy");
    let port = free_port();
    // A certificate of its own instead of one that the world signs.
    let name = format!("https://{HOST}:{port} {{\n\ttls internal");
    let site =
        block.text.replace("127.0.0.1:8080", &shop.address).replace(&format!("{HOST} {{"), &name);
    let main = format!(
        "{{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}}\n{site}"
    );
    fs::write(folder.path().join("Caddyfile"), main).expect("written");
    let arguments = ["run", "--config", "Caddyfile", "--adapter", "caddyfile"];
    let _proxy = Proxy::start(&place, folder.path(), "caddy", &arguments, port);
    check_addresses(port);
}

/// A shop that believes what the proxy beside it says.
fn server(folder: &Path) -> Server {
    let settings = [
        ("SHOP_TRUSTED_PROXIES", "127.0.0.1"),
        ("SHOP_BASE_URL", "https://loja.example"),
        ("SHOP_ENVIRONMENT", "development"),
    ];
    Server::start_with(&folder.join("shop.db"), settings)
}

/// Forgotten passwords are answered five times an hour for each address. One client uses that up,
/// also under made-up addresses; another one does not notice.
fn check_addresses(port: u16) {
    for _ in 0..5 {
        assert_eq!(forgot(port, "127.0.0.2", None), "200");
    }
    assert_eq!(forgot(port, "127.0.0.2", None), "429");
    assert_eq!(forgot(port, "127.0.0.2", Some("X-Forwarded-For: 203.0.113.7")), "429");
    assert_eq!(forgot(port, "127.0.0.3", None), "200");
    let metrics = curl(port, "127.0.0.3", "/metrics", &[]);
    assert_eq!(metrics, "404", "what the shop measures is nobody's business");
}

fn forgot(port: u16, from: &str, header: Option<&str>) -> String {
    let body = r#"{"email":"ninguem@example.com"}"#;
    let mut arguments = vec!["-H", "content-type: application/json", "-d", body];
    arguments.extend(header.iter().flat_map(|header| ["-H", header]));
    curl(port, from, "/api/auth/forgot-password", &arguments)
}

/// The status of a request that comes from this address.
fn curl(port: u16, from: &str, path: &str, arguments: &[&str]) -> String {
    let output = Command::new("curl")
        .args(["-sS", "-k", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}"])
        .args(["--interface", from, "--resolve", &format!("{HOST}:{port}:127.0.0.1")])
        .args(arguments)
        .arg(format!("https://{HOST}:{port}{path}"))
        .output()
        .expect("runs");
    String::from_utf8(output.stdout).expect("a status")
}

/// The certificate authority of this test.
fn certificate(folder: &Path) {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj"])
        .args(["/CN=loja.example", "-keyout", "privkey.pem", "-out", "fullchain.pem"])
        .current_dir(folder)
        .stderr(Stdio::null())
        .status();
    assert!(made.expect("openssl").success(), "no certificate");
}

fn is_there(program: &str) -> bool {
    let tried = Command::new(program).arg("--version").output();
    tried.is_ok()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port()
}

/// A proxy that runs until the test ends.
struct Proxy(Child);

impl Proxy {
    fn start(place: &str, folder: &Path, program: &str, arguments: &[&str], port: u16) -> Self {
        let log = fs::File::create(folder.join("proxy.log")).expect("a log");
        let child = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .env("HOME", folder)
            .env("XDG_DATA_HOME", folder)
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .spawn()
            .expect("starts");
        let proxy = Self(child);
        let until = Instant::now() + Duration::from_secs(20);
        while curl(port, "127.0.0.1", "/healthz", &[]) != "200" {
            let log = fs::read_to_string(folder.join("proxy.log")).unwrap_or_default();
            assert!(Instant::now() < until, "{place}: {program} does not answer\n{log}");
            std::thread::sleep(Duration::from_millis(100));
        }
        proxy
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // Told, not killed: nginx ends its workers itself.
        drop(Command::new("kill").arg(self.0.id().to_string()).status());
        drop(self.0.wait());
    }
}
