use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use futures_util::{TryStreamExt, pin_mut};
use shop_core::Shop;
use shop_core::clock::Timestamp;
use shop_core::order::{OrderExport, OrderStatus};

use crate::failure::Failure;

/// Files for spreadsheet programs.
#[derive(Debug, Subcommand)]
pub(crate) enum Export {
    /// Writes orders as CSV, oldest first
    Orders(Orders),
}

#[derive(Debug, Args)]
pub(crate) struct Orders {
    /// Only those in this status, e.g. SHIPPED
    #[arg(long, value_parser = parse_status)]
    status: Option<OrderStatus>,
    /// Placed at this instant or later, e.g. 2026-11-21T00:00:00-03:00
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    from: Option<Timestamp>,
    /// Placed before this instant
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    to: Option<Timestamp>,
    /// Where to; `-` is stdout
    #[arg(long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

impl Export {
    pub(crate) async fn run(self, shop: &Shop) -> Result<(), Failure> {
        let Self::Orders(Orders { status, from, to, output }) = self;
        let pieces = shop.orders().export_csv(OrderExport { status, from, to });
        pin_mut!(pieces);
        let mut out: Box<dyn Write> = if output.as_os_str() == "-" {
            Box::new(io::stdout())
        } else {
            let file = File::create(&output)
                .map_err(|error| Failure::new(format!("{}: {error}", output.display())))?;
            Box::new(BufWriter::new(file))
        };
        while let Some(piece) = pieces.try_next().await? {
            match out.write_all(&piece) {
                // Whoever reads has seen enough, as with `| head`.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                written => written?,
            }
        }
        Ok(out.flush()?)
    }
}

fn parse_status(text: &str) -> Result<OrderStatus, &'static str> {
    let known = OrderStatus::ALL.into_iter().find(|status| status.as_str() == text);
    known.ok_or("it is PENDING, PROCESSING, SHIPPED, DELIVERED, CANCELLED or REFUNDED")
}

fn parse_time(text: &str) -> Result<Timestamp, &'static str> {
    text.parse().map_err(|_| "it must be a time as 2026-11-21T00:00:00-03:00")
}
