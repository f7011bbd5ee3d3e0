//! What Mercado Pago calls the reasons of rejected cards. Payments are stored with these codes, so
//! they are read in a build without its client too.

use crate::error::CardRejection;

const REJECTIONS: [(&str, CardRejection); 14] = [
    ("cc_rejected_bad_filled_card_number", CardRejection::Number),
    ("cc_rejected_bad_filled_date", CardRejection::ExpiryDate),
    ("cc_rejected_bad_filled_security_code", CardRejection::SecurityCode),
    ("cc_rejected_bad_filled_other", CardRejection::CardData),
    ("cc_rejected_call_for_authorize", CardRejection::CallForAuthorize),
    ("cc_rejected_card_disabled", CardRejection::Disabled),
    ("cc_rejected_insufficient_amount", CardRejection::InsufficientAmount),
    ("cc_rejected_invalid_installments", CardRejection::Installments),
    ("cc_rejected_duplicated_payment", CardRejection::Duplicated),
    ("cc_rejected_max_attempts", CardRejection::MaxAttempts),
    ("cc_rejected_high_risk", CardRejection::HighRisk),
    ("cc_rejected_blacklist", CardRejection::Blacklisted),
    ("cc_rejected_3ds_mandatory", CardRejection::AuthenticationRequired),
    ("cc_rejected_card_error", CardRejection::CardError),
];

/// The reason that a code of the provider stands for; a code that is not known is any other reason.
pub(crate) fn rejection(code: Option<&str>) -> CardRejection {
    let known = REJECTIONS.iter().find(|(known, _)| Some(*known) == code);
    known.map_or(CardRejection::Other, |(_, reason)| *reason)
}
