//! A server process with the demonstration's shop.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::wire::{PROXY, Request, ask, connect};

/// The size of the picture that every server has, as `/uploads/vela.jpg`.
const PICTURE: usize = 4 * 1024 * 1024;
/// How long a server may take to end before it is killed.
const PATIENCE: Duration = Duration::from_secs(90);

/// A running server, in a folder of its own.
pub(crate) struct Server {
    binary: PathBuf,
    settings: Vec<(&'static str, String)>,
    folder: PathBuf,
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// With an empty database, which `--demo` fills; nothing that it does leaves this machine.
    pub(crate) fn start(binary: &Path, mut settings: Vec<(&'static str, String)>) -> Self {
        let folder = std::env::temp_dir().join(format!("siege-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(folder.join("uploads")).expect("a folder");
        std::fs::write(folder.join("uploads/vela.jpg"), vec![7; PICTURE]).expect("written");
        settings.push(("SHOP_TRUSTED_PROXIES", format!("{PROXY}/32")));
        settings.push(("SHOP_SHIPPING__CEP__URL", "offline".to_owned()));
        let (process, address) = spawn(binary, &settings, &folder, &["--demo"]);
        Self { binary: binary.to_owned(), settings, folder, process, address }
    }

    /// The most memory that the process has held, in MiB.
    pub(crate) fn peak(&self) -> u64 {
        let path = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        kib.unwrap_or_default() / 1024
    }

    /// Stops the server and starts it on the same database, as a service manager does. Returns how
    /// long nobody was served.
    pub(crate) fn restart(&mut self) -> Duration {
        let start = Instant::now();
        let pid = self.process.id().to_string();
        drop(Command::new("kill").args(["-s", "TERM", &pid]).status());
        while start.elapsed() < PATIENCE && !matches!(self.process.try_wait(), Ok(Some(_))) {
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(self.process.kill());
        drop(self.process.wait());
        (self.process, self.address) = spawn(&self.binary, &self.settings, &self.folder, &[]);
        let mut stream = connect(PROXY, self.address, false).expect("it listens");
        let answer = ask(&mut stream, &Request::get("/readyz")).expect("an answer");
        assert_eq!(answer.status, 200, "it is ready");
        start.elapsed()
    }
}

/// Starts a server and waits until it listens.
fn spawn(
    binary: &Path,
    settings: &[(&'static str, String)],
    folder: &Path,
    arguments: &[&str],
) -> (Child, SocketAddr) {
    let mut process = Command::new(binary)
        .args(["--listen", "127.0.0.1:0", "--database", "shop.db"])
        .args(arguments)
        .env_clear()
        .envs(settings.iter().map(|(name, value)| (name, value)))
        .current_dir(folder)
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut log = BufReader::new(process.stderr.take().expect("its log"));
    let mut line = String::new();
    let address = loop {
        line.clear();
        assert_ne!(log.read_line(&mut line).expect("text"), 0, "it does not listen");
        if let Some((_, address)) = line.split_once("listening on http://") {
            break address.trim().parse().expect("an address");
        }
    };
    // Read to its end, so that the server never waits for its log.
    std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
    (process, address)
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
        drop(std::fs::remove_dir_all(&self.folder));
    }
}
