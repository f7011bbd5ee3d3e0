//! What a program writes without asking serde: values by their parsers, inputs by what they need.

use shop_core::account::{LogIn, NewAddress, Register};
use shop_core::api_key::{NewApiKey, Scope};
use shop_core::cart::NewCartItem;
use shop_core::catalog::{NewCategory, NewImage, NewReview, NewVariantOption, NewVariantType};
use shop_core::clock::Timestamp;
use shop_core::coupon::{CouponType, NewCoupon};
use shop_core::error::Error;
use shop_core::invoicing::InvoiceStatus;
use shop_core::mail::ContactMessage;
use shop_core::money::Money;
use shop_core::newsletter::Subscribe;
use shop_core::order::{NewOrderNote, OrderStatus};
use shop_core::payment::{PaymentStatus, ProviderRefundStatus, ProviderStatus, RefundStatus};
use shop_core::settlement::{CardStatus, PayByCard, RecordPayment, RecordedMethod};
use shop_core::shipping::{CalculateShipping, CarrierStatus, NewTariff};
use shop_core::value::{Email, InvalidValue, Price, Quantity};
use shop_core::webhook::{NewWebhook, Subscription};

/// Every input that a program makes is made of what it needs, and each value by `?`.
#[test]
fn inputs_are_made_of_what_they_need() {
    let all = || -> shop_core::Result<()> {
        Register::new("Ana".parse()?, "ana@example.com".parse()?, "segredo-123".parse()?);
        let log_in = LogIn::new("ana@example.com".to_owned(), "segredo-123".into());
        assert!(log_in.code.is_none());
        let home = NewAddress::new(
            "Rua das Flores".parse()?,
            "123".parse()?,
            "Centro".parse()?,
            "São Paulo".parse()?,
            "SP".parse()?,
            "01001-000".parse()?,
        );
        assert_eq!((home.label.as_str(), home.is_default), ("Casa", None));
        assert!(NewApiKey::new("ERP".parse()?, vec![Scope::OrdersRead]).expires_at.is_none());
        assert!(NewCartItem::new("p".into(), 2.try_into()?).variant_id.is_none());
        assert!(NewCategory::new("Velas".parse()?).active);
        assert!(!NewImage::new("/uploads/vela.png".parse()?).is_primary);
        assert!(NewReview::new(5.try_into()?, "Ótima".parse()?).title.is_none());
        assert_eq!(NewVariantType::new("Tamanho".parse()?, "tamanho".parse()?).order, 0);
        assert_eq!(NewVariantOption::new("P".parse()?).order, 0);
        let coupon = NewCoupon::new("VELAS10".parse()?, CouponType::Percent, "10".parse()?);
        assert!(coupon.active && coupon.max_uses.is_none());
        ContactMessage::new("Ana".parse()?, "a@b.com".parse()?, "Oi".parse()?, "Oi".parse()?);
        assert!(Subscribe::new("ana@example.com".parse()?).name.is_none());
        NewOrderNote::new("Frágil".parse()?);
        let card =
            PayByCard::new("o".into(), "token-1234".parse()?, "visa".parse()?, 1.try_into()?);
        assert!(card.issuer_id.is_none());
        assert!(RecordPayment::new(RecordedMethod::Cash).amount.is_none());
        let parcel = CalculateShipping::new("01001-000".parse()?, "99.80".parse()?);
        assert!(parcel.weight.is_none());
        NewTariff::new("PAC".parse()?, vec!["SP".parse()?], "20".parse()?, 5);
        let events = vec!["order.paid".parse::<Subscription>()?].try_into()?;
        NewWebhook::new("https://exemplo.com/x".parse()?, "segredo-do-erp".parse()?, events);
        Ok(())
    };
    all().expect("each is valid");
}

#[test]
fn a_wrong_value_is_an_error_of_the_library_that_says_what_is_wrong() {
    fn parsed<T>(text: &str) -> shop_core::Result<T>
    where
        T: std::str::FromStr,
        Error: From<T::Err>,
    {
        Ok(text.parse::<T>()?)
    }
    let told = |error: Error| match error {
        Error::Invalid(wrong) => wrong.form_errors,
        other => panic!("{other:?}"),
    };
    assert_eq!(told(parsed::<Email>("ana").expect_err("wrong")), [InvalidValue::Email]);
    assert_eq!(told(parsed::<Money>("x").expect_err("wrong")), [InvalidValue::NotANumber]);
    assert_eq!(told(parsed::<Timestamp>("ontem").expect_err("wrong")), [InvalidValue::Date]);
    let unknown = parsed::<OrderStatus>("PAGO").expect_err("wrong").to_string();
    assert!(unknown.contains("there is no order status \"PAGO\""), "{unknown}");
}

#[test]
fn numbers_are_made_of_what_programs_count_in_and_prices_are_money() {
    for units in [Quantity::try_from(2_u32), Quantity::try_from(2_i32), Quantity::try_from(2_i64)] {
        let units = units.expect("two");
        assert_eq!((units.get(), units.to_string().as_str()), (2, "2"));
    }
    assert_eq!(Quantity::try_from(0_u32), Err(InvalidValue::AtLeast { least: 1 }));
    let price: Price = "49.90".parse().expect("a price");
    assert_eq!(Money::from(price), Money::from_cents(4990));
}

#[test]
fn each_status_is_written_as_its_word() {
    let words = [
        OrderStatus::Processing.to_string(),
        PaymentStatus::Paid.to_string(),
        RefundStatus::Done.to_string(),
        InvoiceStatus::Authorized.to_string(),
        ProviderStatus::ChargedBack.to_string(),
        ProviderRefundStatus::Pending.to_string(),
        CardStatus::InProcess.to_string(),
        CarrierStatus::Connected.to_string(),
    ];
    let expected = [
        "PROCESSING",
        "PAID",
        "DONE",
        "AUTHORIZED",
        "CHARGED_BACK",
        "PENDING",
        "in_process",
        "connected",
    ];
    assert_eq!(words, expected);
}
