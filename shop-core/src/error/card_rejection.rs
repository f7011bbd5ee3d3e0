//! Why a card is rejected, whichever provider says so.

/// Why a card is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CardRejection {
    /// The number is wrong.
    Number,
    /// The expiry date is wrong.
    ExpiryDate,
    /// The security code is wrong.
    SecurityCode,
    /// Something else about the card is wrong.
    CardData,
    /// Its owner must allow the payment with the bank first.
    CallForAuthorize,
    /// It must be activated with the bank first.
    Disabled,
    /// There is not enough money or credit.
    InsufficientAmount,
    /// It cannot pay in so many parts.
    Installments,
    /// The same amount was paid just now.
    Duplicated,
    /// It was tried too often.
    MaxAttempts,
    /// The provider's fraud check says no.
    HighRisk,
    /// It is on a list of cards that are not taken.
    Blacklisted,
    /// The bank wants an authentication that was not made.
    AuthenticationRequired,
    /// The card cannot be charged.
    CardError,
    /// Any other reason.
    Other,
}
