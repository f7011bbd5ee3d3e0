//! A line to a server that can be cut and mended, so that the server is away while its port stays
//! taken.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The line. It is cut for good once this is dropped.
pub(crate) struct Line {
    pub(crate) address: SocketAddr,
    cut: watch::Sender<bool>,
}

impl Line {
    pub(crate) async fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (cut, is_cut) = watch::channel(false);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(carry(stream, server, is_cut.clone()));
            }
        });
        Self { address, cut }
    }

    /// Breaks every connection, and each new one at once.
    pub(crate) fn cut(&self) {
        self.cut.send_replace(true);
    }

    pub(crate) fn mend(&self) {
        self.cut.send_replace(false);
    }
}

async fn carry(mut from: TcpStream, server: SocketAddr, mut is_cut: watch::Receiver<bool>) {
    let both_ways = async {
        let mut to = TcpStream::connect(server).await?;
        copy_bidirectional(&mut from, &mut to).await
    };
    tokio::select! {
        biased;
        _ = is_cut.wait_for(|is_cut| *is_cut) => {}
        _ = both_ways => {}
    }
}
