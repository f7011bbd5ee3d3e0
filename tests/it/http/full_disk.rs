//! A disk that takes no more bytes, neither of the database nor of the log.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

use super::process::{get, server};

/// A process that is ended when the test is over.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// How large this process may make files, from now on: the kernel then refuses every write beyond,
/// to root's processes too, as a full disk does.
fn limit_files(process: &Child, limit: Rlimit) {
    prlimit(Some(Pid::from_child(process)), Resource::Fsize, limit).expect("set");
}

/// Starts a server that writes its log into its folder, by a shell that leaves it deaf to the
/// signal that would end it at its first write beyond the limit. Returns it and its address.
fn start(folder: &Path) -> (Running, String) {
    let server = server(folder);
    let log = folder.join("log.txt");
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]);
    shell.arg(server.get_program()).args(server.get_args()).env_clear().current_dir(folder);
    shell.stderr(File::create(&log).expect("a log"));
    let running = Running(shell.spawn().expect("starts"));
    loop {
        let text = std::fs::read_to_string(&log).expect("its log");
        if let Some((_, rest)) = text.split_once("listening on http://")
            && let Some((address, _)) = rest.split_once('\n')
        {
            return (running, address.to_owned());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_server_whose_disk_is_full_is_not_ready_until_there_is_room_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (process, address) = start(folder.path());
    assert!(get(&address, "/readyz").starts_with("HTTP/1.1 200"));
    let room = getrlimit(Resource::Fsize);
    limit_files(&process.0, Rlimit { current: Some(0), ..room });
    while get(&address, "/readyz").starts_with("HTTP/1.1 200") {}
    let report = get(&address, "/readyz?verbose");
    assert!(report.starts_with("HTTP/1.1 503"), "{report}");
    assert!(report.contains("the database takes no writes"), "{report}");
    // It reads as before.
    assert!(get(&address, "/healthz").starts_with("HTTP/1.1 200"));
    assert!(get(&address, "/api/products").starts_with("HTTP/1.1 200"));
    limit_files(&process.0, room);
    while !get(&address, "/readyz").starts_with("HTTP/1.1 200") {}
}
