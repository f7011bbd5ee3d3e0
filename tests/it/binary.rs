//! The real binaries, as processes.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// Where a binary of the workspace is. Cargo builds no binaries of other packages for a test, so it
/// is asked for them, once.
pub(crate) fn path(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(build).join(name)
}

fn build() -> PathBuf {
    // target/<profile>/deps/it-..
    let test = std::env::current_exe().expect("this test's path");
    let folder = test.ancestors().nth(2).expect("a target folder").to_path_buf();
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let mut cargo = Command::new(env!("CARGO"));
    // What cargo tells this program about itself would make build scripts of others run anew, and
    // once more the next time that the tests are built.
    let own = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(own)) {
        cargo.env_remove(name);
    }
    let built = cargo
        // The packages and targets decide which features dependencies have. With the whole
        // workspace and a test of it these are the ones of `cargo test --workspace`, so that
        // nothing is compiled twice. Other steps of CI try the programs with the features that they
        // ship with.
        .args(["build", "--quiet", "--workspace", "--profile", profile])
        .args(["--bin", "shop-cli", "--bin", "shop-server", "--test", "program"])
        .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml")])
        .status()
        .expect("cargo");
    assert!(built.success(), "the binaries do not build");
    folder
}

/// Tests buy more than any shopper, all of it from one address.
const UNLIMITED: [(&str, &str); 3] = [
    ("SHOP_ORDERS__MAX_OPEN_UNPAID", "0"),
    ("SHOP_ORDERS__MAX_PER_HOUR", "0"),
    ("SHOP_ORDERS__MAX_PER_HOUR_PER_IP", "0"),
];

/// A server process on a port of its own.
pub(crate) struct Server {
    process: Child,
    pub(crate) address: String,
    log: Arc<Mutex<String>>,
    /// Where it leaves its files, as long as it runs, when its database is no file.
    _folder: TempDir,
}

impl Server {
    pub(crate) fn start(database: &Path) -> Self {
        Self::start_with(database, std::iter::empty::<(&str, &str)>())
    }

    /// With these variables in its environment, and no others.
    pub(crate) fn start_with<K: AsRef<OsStr>, V: AsRef<OsStr>>(
        database: &Path,
        environment: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let own = tempfile::tempdir().expect("a folder");
        let folder = database.parent().filter(|folder| folder.is_dir()).unwrap_or(own.path());
        let mut process = Command::new(path("shop-server"))
            .args(["--listen", "127.0.0.1:0", "--database"])
            .arg(database)
            .env_clear()
            .envs(UNLIMITED)
            .envs(environment)
            .current_dir(folder)
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let stderr = BufReader::new(process.stderr.take().expect("its log"));
        let mut lines = stderr.lines().map_while(Result::ok);
        let address = lines
            .find_map(|line| line.split("http://").nth(1).map(|rest| rest.trim().to_owned()))
            .expect("the log says where it listens");
        // Somebody must read the log, or the server would stop when the pipe is full.
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        std::thread::spawn(move || {
            lines.for_each(|line| kept.lock().expect("a lock").push_str(&(line + "\n")));
        });
        Self { process, address, log, _folder: own }
    }

    /// What it wrote into its log since it listens.
    pub(crate) fn log(&self) -> String {
        self.log.lock().expect("a lock").clone()
    }

    /// KiB of memory that it holds, where the system says so.
    pub(crate) fn resident(&self) -> Option<usize> {
        self.memory("VmRSS:")
    }

    /// KiB of memory that it held at most, where the system says so.
    pub(crate) fn peak(&self) -> Option<usize> {
        self.memory("VmHWM:")
    }

    fn memory(&self, line: &str) -> Option<usize> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.ok()?;
        let line = status.lines().find_map(|found| found.strip_prefix(line))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    }

    /// As a power cut would: nothing is said and nothing is waited for.
    pub(crate) fn kill(mut self) {
        self.process.kill().expect("killed");
        self.process.wait().expect("gone");
    }
}

/// A test that fails, or that says nothing about how its server ends, leaves no process behind.
impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Places an order; `None` when the connection broke before the answer was whole.
pub(crate) fn order(address: &str, token: &str, key: &str, body: &Value) -> Option<(u16, Value)> {
    let cookie = format!("token={token}");
    let headers = [("cookie", cookie.as_str()), ("idempotency-key", key)];
    post(address, "/api/orders", &headers, &body.to_string())
}

/// A POST of JSON by somebody who is logged in; `None` as [`post`].
pub(crate) fn post_as(
    address: &str,
    token: &str,
    path: &str,
    body: &Value,
) -> Option<(u16, Value)> {
    post(address, path, &[("cookie", &format!("token={token}"))], &body.to_string())
}

/// A POST of JSON; `None` when the connection broke before the answer was whole.
pub(crate) fn post(
    address: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Option<(u16, Value)> {
    let headers = headers
        .iter()
        .fold(String::new(), |headers, (name, value)| format!("{headers}{name}: {value}\r\n"));
    exchange(
        address,
        &format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\n{headers}connection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ),
    )
}

/// A GET of JSON by nobody; `None` as [`post`].
pub(crate) fn get(address: &str, path: &str) -> Option<(u16, Value)> {
    let head = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    exchange(address, &head)
}

fn exchange(address: &str, request: &str) -> Option<(u16, Value)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let status = answer.get(9..12)?.parse().ok()?;
    let body = serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()?;
    Some((status, body))
}
