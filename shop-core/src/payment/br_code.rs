//! The text of a PIX QR code: an EMV "BR Code".

use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization;

use crate::config::PixConfig;
use crate::money::Money;

/// What a PIX code says: who receives how much, under which transaction id.
///
/// # Example: the text that a banking app reads
/// ```
/// use shop_core::payment::BrCode;
/// use shop_core::money::Money;
/// let code = BrCode {
///     key: "pix@lojaaurora.com.br",
///     merchant_name: "Loja de Velas Aurora",
///     merchant_city: "São Paulo",
///     amount: Money::from_cents(12990),
///     txid: "PED202611210001",
/// };
/// assert!(code.to_string().ends_with("62190515PED20261121000163045BA3"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BrCode<'a> {
    /// The receiver's PIX key.
    pub key: &'a str,
    /// The receiver's name; the code holds its first 25 letters in plain capitals.
    pub merchant_name: &'a str,
    /// The receiver's city; the code holds its first 15 letters in plain capitals.
    pub merchant_city: &'a str,
    /// What is to be paid.
    pub amount: Money,
    /// Names the payment to the receiver: 1 to 25 letters and digits.
    pub txid: &'a str,
}

impl<'a> BrCode<'a> {
    pub(super) fn new(receiver: &'a PixConfig, amount: Money, txid: &'a str) -> Self {
        Self {
            key: &receiver.key,
            merchant_name: &receiver.merchant_name,
            merchant_city: &receiver.merchant_city,
            amount,
            txid,
        }
    }
}

impl std::fmt::Display for BrCode<'_> {
    /// The fields in ascending order, each as two digits of id, two of length and its value, with
    /// the checksum of all before it at the end.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let account = field("00", "br.gov.bcb.pix") + &field("01", self.key);
        let mut code = [
            field("00", "01"),
            field("26", &account),
            field("52", "0000"),
            field("53", "986"),
            field("54", &self.amount.to_string()),
            field("58", "BR"),
            field("59", &plain_capitals(self.merchant_name, 25)),
            field("60", &plain_capitals(self.merchant_city, 15)),
            field("62", &field("05", self.txid)),
            "6304".to_owned(),
        ]
        .concat();
        let checksum = crc16(code.as_bytes());
        write!(code, "{checksum:04X}")?;
        f.write_str(&code)
    }
}

fn field(id: &str, value: &str) -> String {
    format!("{id}{:02}{value}", value.len())
}

/// ASCII capitals, for a reader that knows no accents.
fn plain_capitals(text: &str, max: usize) -> String {
    let plain: String = text.nfd().filter(char::is_ascii).collect();
    let cut: String = plain.to_ascii_uppercase().trim().chars().take(max).collect();
    cut.trim_end().to_owned()
}

/// CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF, nothing reflected.
pub fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc: u16, _| {
            if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(key: &str, name: &str, city: &str, cents: i64, txid: &str) -> String {
        let amount = Money::from_cents(cents);
        BrCode { key, merchant_name: name, merchant_city: city, amount, txid }.to_string()
    }

    // Made and read back by an independent implementation.
    #[test]
    fn codes_equal_those_of_an_independent_implementation() {
        assert_eq!(crc16(b"123456789"), 0x29B1);
        assert_eq!(
            code(
                "pix@lojaaurora.com.br",
                "Loja de Velas Aurora",
                "São Paulo",
                12990,
                "PED202611210001"
            ),
            "00020126430014br.gov.bcb.pix0121pix@lojaaurora.com.br5204000053039865406129.905802BR\
             5920LOJA DE VELAS AURORA6009SAO PAULO62190515PED20261121000163045BA3"
        );
        assert_eq!(
            code("11222333000181", "Ceras & Cia", "Curitiba", 1, "A1B2C3D4E5F6G7H8I9J0KLMNO"),
            "00020126360014br.gov.bcb.pix01141122233300018152040000530398654040.015802BR5911CERAS \
             & CIA6008CURITIBA62290525A1B2C3D4E5F6G7H8I9J0KLMNO6304CAF2"
        );
    }

    #[test]
    fn long_names_are_cut_and_lengths_stay_right() {
        let code = code("k", "Velas Artesanais Coração do Brasil", "São José dos Campos", 100, "x");
        assert!(code.contains("5924VELAS ARTESANAIS CORACAO6015SAO JOSE DOS CA"), "{code}");
    }
}
