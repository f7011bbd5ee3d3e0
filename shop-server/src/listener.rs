//! The listening socket: handed over by the process manager, or opened here.

use std::io;
use std::net::SocketAddr;

use listenfd::ListenFd;
use tokio::net::{TcpListener, TcpSocket};

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 1024;

/// The first socket that systemd handed over (`LISTEN_FDS`), where it handed over any, else a new
/// one on this address. Of two processes that both set `reuse_port` each may listen on the same
/// address, so that a new one can take over from an old one.
///
/// # Errors
/// When the address cannot be listened on, or what was handed over is no TCP socket.
pub fn listen(address: SocketAddr, reuse_port: bool) -> io::Result<TcpListener> {
    if let Some(inherited) = ListenFd::from_env().take_tcp_listener(0)? {
        inherited.set_nonblocking(true)?;
        return TcpListener::from_std(inherited);
    }
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // As `TcpListener::bind` does: connections that are ending do not keep a new server away.
    socket.set_reuseaddr(true)?;
    if reuse_port {
        socket.set_reuseport(true)?;
    }
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
