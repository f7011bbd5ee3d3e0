use std::str::FromStr;

use super::{InvalidValue, text_value};

/// Where a picture is: a path of this shop (`/uploads/vela.jpg`) or an `http`/`https` address. No
/// other scheme, since the text ends up in pages.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PictureUrl(String);

text_value!(PictureUrl, "picture-url");

impl FromStr for PictureUrl {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let own_path = text.starts_with('/') && !text.starts_with("//");
        let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let address = host.is_some_and(|host| host.starts_with(|c: char| c.is_alphanumeric()));
        let fine = text.len() <= 2000
            && !text.contains(|c: char| c.is_control() || c.is_whitespace())
            && !text.contains(['"', '\'', '<', '>', '\\'])
            && (own_path || address);
        if fine { Ok(Self(text.to_owned())) } else { Err(InvalidValue::PictureUrl) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_shop_and_web_addresses_only() {
        for good in ["/uploads/vela.jpg", "https://cdn.example.com/a.png?x=1&y=2"] {
            assert!(good.parse::<PictureUrl>().is_ok(), "{good}");
        }
        for bad in ["", "vela.jpg", "//evil.example", "javascript:alert(1)", "/a b", "https://"] {
            assert!(bad.parse::<PictureUrl>().is_err(), "{bad}");
        }
    }
}
