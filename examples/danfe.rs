//! Puts an electronic invoice on paper: reads an authorised invoice's XML (`nfeProc`) and writes
//! its DANFE as a PDF. Needs no shop.
//!
//! `cargo run -p shop-examples --example danfe -- nota.xml danfe.pdf [logo.png] [--cancelled]`

use std::error::Error;
use std::fs;

use shop_core::nfe::danfe::{self, DanfeOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, paths): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let [xml, pdf, logo @ ..] = &paths[..] else {
        return Err("usage: danfe NFE_PROC_XML PDF [LOGO] [--cancelled]".into());
    };
    let options = DanfeOptions {
        logo: logo.first().map(fs::read).transpose()?,
        cancelled: flags.iter().any(|flag| flag == "--cancelled"),
    };
    fs::write(pdf, danfe::render(&fs::read_to_string(xml)?, &options)?)?;
    Ok(())
}
