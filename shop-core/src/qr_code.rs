//! Texts as QR codes: PIX codes, and what authenticators scan.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use qrcode::{Color, EcLevel, QrCode};

use crate::error::{Error, Result};

/// Pixels along a module, and modules of quiet zone that readers need around the code.
const MODULE: usize = 6;
const QUIET: usize = 4;

/// The text as a QR code: a black and white PNG, in Base64.
pub(crate) fn png_base64(text: &str) -> Result<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).map_err(Error::from_source)?;
    Ok(STANDARD.encode(png(&code)?))
}

fn png(code: &QrCode) -> Result<Vec<u8>> {
    let side = (code.width() + 2 * QUIET) * MODULE;
    let pixels: u32 = side.try_into().map_err(Error::from_source)?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels, pixels);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    let mut writer = encoder.write_header().map_err(Error::from_source)?;
    let rows: Vec<u8> = (0..side).flat_map(|y| row(code, side, y)).collect();
    writer.write_image_data(&rows).map_err(Error::from_source)?;
    writer.finish().map_err(Error::from_source)?;
    Ok(file)
}

/// One row of pixels, eight to a byte, white as 1.
fn row(code: &QrCode, side: usize, y: usize) -> Vec<u8> {
    let mut bytes = vec![0_u8; side.div_ceil(8)];
    for x in (0..side).filter(|x| is_light(code, x / MODULE, y / MODULE)) {
        bytes[x / 8] |= 0x80 >> (x % 8);
    }
    bytes
}

fn is_light(code: &QrCode, x: usize, y: usize) -> bool {
    let inside = QUIET..QUIET + code.width();
    !(inside.contains(&x) && inside.contains(&y)) || code[(x - QUIET, y - QUIET)] == Color::Light
}
