//! PIX keys, by the forms that the central bank registers (DICT).

use super::{Cpf, Email, cnpj};

/// Whether a text is a PIX key in the form in which a code carries it: an e-mail address in small
/// letters, a CPF or a CNPJ without punctuation, a Brazilian phone number with `+55`, or a random
/// key (EVP), which is a UUID.
pub(crate) fn is_pix_key(text: &str) -> bool {
    is_email(text)
        || text.bytes().all(|b| b.is_ascii_digit()) && text.parse::<Cpf>().is_ok()
        || cnpj::is_cnpj(text.as_bytes())
        || is_phone(text)
        || is_random(text)
}

/// At most 77 characters, which is what the central bank takes.
fn is_email(text: &str) -> bool {
    let is_small = !text.bytes().any(|b| b.is_ascii_uppercase());
    is_small && text.len() <= 77 && text.parse::<Email>().is_ok_and(|it| it.as_str() == text)
}

/// The country, the area (no area has a zero) and eight digits, or nine that begin with 9.
fn is_phone(text: &str) -> bool {
    let Some(number) = text.strip_prefix("+55").map(str::as_bytes) else { return false };
    let has_area = number.iter().take(2).all(|b| (b'1'..=b'9').contains(b));
    has_area
        && number.iter().all(u8::is_ascii_digit)
        && matches!((number.len(), number.get(2)), (10, Some(b'2'..=b'5')) | (11, Some(b'9')))
}

fn is_random(text: &str) -> bool {
    let is_small = !text.bytes().any(|b| b.is_ascii_uppercase());
    text.len() == 36 && is_small && uuid::Uuid::try_parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_of_the_forms_that_banks_register() {
        for key in [
            "pix@velas.example",
            "52998224725",
            "11222333000181",
            "12ABC34501DE35",
            "+5511987654321",
            "+551133334444",
            "123e4567-e89b-42d3-a456-426614174000",
        ] {
            assert!(is_pix_key(key), "{key}");
        }
        let long = format!("{}@velas.example", "a".repeat(70));
        for key in [
            "",
            "loja",
            "PIX@velas.example",
            "529.982.247-25",
            "52998224724",
            "11111111111",
            "11.222.333/0001-81",
            "11222333000182",
            "12ABC34501DE36",
            "11987654321",
            "+5501987654321",
            "+55119876543",
            "+5511887654321",
            "+1 212 555 0100",
            "123e4567e89b42d3a456426614174000",
            "123E4567-E89B-42D3-A456-426614174000",
            " pix@velas.example",
            &long,
        ] {
            assert!(!is_pix_key(key), "{key}");
        }
    }
}
