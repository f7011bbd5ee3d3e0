//! What did not prove who the caller is.

coded! {
    /// What did not prove who the caller is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Credential {
        /// No session, or one that has ended.
        Session = "unauthenticated",
        /// E-mail and password do not belong together.
        Login = "invalid_credentials",
        /// E-mail and password are right, and the account's log-ins need a code besides.
        TwoFactor = "two_factor_required",
        /// The code of the authenticator is wrong, too old or was used, or there is no such
        /// recovery code.
        TwoFactorCode = "invalid_two_factor_code",
        /// The current password, which confirms the change, is wrong.
        CurrentPassword = "wrong_password",
        /// No API key, one that was revoked or is too old, or one without the scope.
        ApiKey = "invalid_api_key",
        /// A provider's notice is not signed with the shared secret, or too long ago.
        Signature = "invalid_signature",
        /// A provider sent a browser back that staff did not send to it, or longer than an hour
        /// ago.
        ConnectState = "invalid_connect_state",
        /// The token of an order's link is not the shop's, is older than 90 days, or the account is
        /// suspended, gone or has another e-mail since.
        OrderLink = "invalid_order_link",
    }
}
