//! A disk that takes no more bytes.

use std::process::{Child, Command};

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

use super::process::{get, server, started};

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

/// A shell that becomes the server, and leaves it deaf to the signal that would end it at its first
/// write beyond the limit.
fn deaf(server: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]);
    shell.arg(server.get_program()).args(server.get_args());
    if let Some(folder) = server.get_current_dir() {
        shell.current_dir(folder);
    }
    shell.env_clear().stderr(std::process::Stdio::piped());
    shell
}

#[test]
fn a_server_whose_disk_is_full_is_not_ready_until_there_is_room_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = Running(deaf(&server(folder.path())).spawn().expect("starts"));
    let (address, log) = started(&mut process.0);
    // Read, so that the server never waits for its log.
    std::thread::spawn(move || log.for_each(drop));
    assert!(get(&address, "/readyz").starts_with("HTTP/1.1 200"));
    let room = getrlimit(Resource::Fsize);
    limit_files(&process.0, Rlimit { current: Some(0), ..room.clone() });
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
