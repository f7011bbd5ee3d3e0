//! What is wrong with a value: a code and its numbers, for every surface to say in its own words.

use serde::Serialize;

use crate::money::ParseMoneyError;

/// Makes the enum, its codes and its English texts from one table.
macro_rules! invalid_values {
    ($($(#[$doc:meta])* $name:ident $({ $($field:ident: $type:ty),+ })? = $code:literal, $text:literal;)+) => {
        /// What is wrong with a value.
        ///
        /// It displays in English, for a log. A surface that talks to people matches on it, or takes
        /// its [`InvalidValue::code`] and the values that its JSON has beside the code:
        ///
        /// ```
        /// use shop_core::value::{Email, InvalidValue, Quantity};
        ///
        /// assert_eq!("ana".parse::<Email>(), Err(InvalidValue::Email));
        /// let wrong = Quantity::try_from(0).expect_err("too few");
        /// assert_eq!(wrong, InvalidValue::AtLeast { least: 1 });
        /// assert_eq!(serde_json::to_string(&wrong)?, r#"{"code":"at_least","least":1}"#);
        /// # Ok::<(), serde_json::Error>(())
        /// ```
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize)]
        #[serde(tag = "code")]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the names of the values say what they are")]
        pub enum InvalidValue {$(
            $(#[$doc])*
            #[error($text)]
            #[serde(rename = $code)]
            $name $({ $($field: $type),+ })?,
        )+}

        impl InvalidValue {
            /// Every code there is.
            pub const CODES: &'static [&'static str] = &[$($code),+];

            /// What programs call it. It stays the same in all versions.
            pub fn code(&self) -> &'static str {
                match self {
                    $(Self::$name { .. } => $code,)+
                }
            }
        }
    };
}

invalid_values! {
    /// A value is missing, or empty.
    Required = "required", "it is required";
    /// A value is missing that another one needs.
    RequiredWith { other: &'static str } = "required_with", "it is required with {other}";
    /// A number is too small.
    AtLeast { least: i64 } = "at_least", "it must be at least {least}";
    /// A number is too large.
    AtMost { most: i64 } = "at_most", "it must be at most {most}";
    /// A number is out of its range.
    Between { least: i64, most: i64 } = "between", "it must be from {least} to {most}";
    /// An amount is zero or negative.
    NotPositive = "not_positive", "it must be greater than zero";
    /// A text is no number.
    NotANumber = "not_a_number", "it must be a number";
    /// A number is not whole.
    NotWhole = "not_whole", "it must be a whole number";
    /// An amount has more than two decimals.
    FinerThanCents = "finer_than_cents", "it must have two decimals at most";
    /// An amount is too large in size.
    OutOfRange = "out_of_range", "it is out of range";
    /// A weight is negative or too large.
    Weight { most_kg: u32 } = "weight", "it must be from 0 to {most_kg} kg";
    /// A cell is neither yes nor no.
    NotABoolean = "not_a_boolean", "it must be true or false";
    /// A list is too short.
    MinItems { least: u64 } = "min_items", "it must have {least} items or more";
    /// A list is too long.
    MaxItems { most: u64 } = "max_items", "it must have {most} items or fewer";
    /// A list is too short or too long.
    ItemCount { least: u64, most: u64 } = "item_count", "it must have {least} to {most} items";
    /// A text is too short.
    MinCharacters { least: u64 } = "min_characters", "it must have {least} characters or more";
    /// A text is too long.
    MaxCharacters { most: u64 } = "max_characters", "it must have {most} characters or fewer";
    /// A text has control characters.
    Characters = "characters", "it has characters that are not allowed";
    /// A document is too large.
    TooLarge { most_mib: u32 } = "too_large", "it must be {most_mib} MiB at most";
    /// A JSON value is no object.
    NotAnObject = "not_an_object", "it must be an object";
    /// A time is past.
    NotFuture = "not_future", "it must be in the future";
    /// A cell's JSON cannot be read; `why` is the parser's message.
    Unreadable { why: String } = "unreadable", "it cannot be read: {why}";
    /// A text is no id of analytics.
    AnalyticsId = "analytics_id", "it must have up to 64 letters, digits, '-', '_', '.' or ':'";
    /// A text is no token of a card.
    CardToken = "card_token", "it is no token of a card";
    /// A text is no guest cart's token.
    Cart = "cart", "it is no cart";
    /// A text is no postal code.
    Cep = "cep", "it is no CEP";
    /// A text is no CNPJ.
    Cnpj = "cnpj", "it is no CNPJ";
    /// A text is no CPF.
    Cpf = "cpf", "it is no CPF";
    /// A code is no CSOSN of Simples Nacional.
    Csosn = "csosn", "it must be 102, 103, 300, 400, 500 or 900";
    /// The company's regime does not take a CSOSN.
    CsosnOfRegime = "csosn_of_regime", "a MEI may only use 102, 300, 400 or 900";
    /// The company's regime does not take a CFOP with the goods' CSOSN.
    CfopOfRegime = "cfop_of_regime", "a MEI sells with CSOSN 102 as 5102 or 6102 only, and with 900 not at all";
    /// A CFOP is not of the place of the buyer.
    CfopPlace { first: char } = "cfop_place", "it must begin with {first}: 5 within the state, 6 outside it";
    /// A category was given a bar code, which only a product has.
    GtinOfCategory = "gtin_of_category", "a category has no GTIN";
    /// Nothing says a product's place in the nomenclature of goods.
    NcmRequired { product: String } = "ncm_required", "the product {product} needs an NCM, of its own, its category's or nfe.defaults.ncm";
    /// A cell says neither own nor resale.
    Production = "production", "it must be own or resale";
    /// Goods whose tax was retained from an earlier seller have no CEST.
    CestRequired = "cest_required", "CSOSN 500 needs the CEST";
    /// A text is no `nextCursor` of an answer.
    Cursor = "cursor", "it is no cursor";
    /// A text is no date.
    Date = "date", "it must be a date in ISO 8601";
    /// A fiscal code has too few or too many digits.
    DigitCount = "digit_count", "it has another number of digits";
    /// A text is no e-mail address.
    Email = "email", "it is no e-mail address";
    /// A text is no revision.
    ETag = "etag", "it must be an ETag";
    /// A text is no event's id.
    EventId = "event_id", "it must be an event's id";
    /// A text is no event's name.
    EventName = "event_name", "there is no such event";
    /// A text is no stored file's name.
    FileName = "file_name", "it is no name of a file";
    /// A text is no fiscal unit.
    FiscalUnit = "fiscal_unit", "it must have 1 to 6 letters or digits";
    /// A text is no GTIN.
    Gtin = "gtin", "it is no GTIN";
    /// An address is not encrypted.
    HttpsUrl = "https_url", "it must be an https address";
    /// A text is no idempotency key.
    IdempotencyKey = "idempotency_key", "it must have 1 to 255 visible characters, without spaces";
    /// A text is no access key of an NF-e.
    InvoiceKey = "invoice_key", "it is no access key of an invoice";
    /// A text is no month.
    Month = "month", "it must be a month, as 2026-11";
    /// A text is no origin of pages.
    Origin = "origin", "it must be an origin, as https://loja.example";
    /// A provider's event cannot be read.
    Payload = "payload", "it is no event of the provider";
    /// A text is no picture's address.
    PictureUrl = "picture_url", "it must be a path that begins with / or an http(s) address";
    /// An address leads into a private network.
    PublicUrl = "public_url", "it must be a public address";
    /// A text is no slug.
    Slug = "slug", "it must have 2 to 120 characters: small letters without accents, digits, hyphens and underscores";
    /// A text is no state's code.
    State = "state", "it is no state";
    /// A text is no state registration.
    StateRegistration = "state_registration", "it must have 2 to 14 digits, or be ISENTO";
    /// A text is no state registration of a buyer.
    BuyerRegistration = "buyer_registration", "it must have 2 to 14 digits; a company without a registration says none";
    /// A buyer is given as a person and as a company.
    OneBuyer = "one_buyer", "it is a CPF or a CNPJ, not both";
    /// The shop's own company is the buyer.
    OwnCnpj = "own_cnpj", "it is the CNPJ of the shop itself";
    /// A CFOP for consumers and a buyer who pays the tax on goods do not go together.
    CfopOfConsumers = "cfop_of_consumers", "6107 and 6108 are for buyers without a state registration";
    /// A CSOSN and a buyer without a state registration do not go together.
    CsosnOfContributors = "csosn_of_contributors", "CSOSN 900 is for buyers with a state registration";
    /// A text is no webhook's address.
    WebhookUrl = "webhook_url", "it must be an https address, as https://exemplo.com/x";
    /// There is no such category.
    UnknownCategory = "unknown_category", "there is no such category";
    /// A file names a category that is neither in the shop nor in the file.
    CategoryOfImport = "category_of_import", "there is no such category; with category_name it is made";
    /// A variant has no options.
    NoOption = "no_option", "it must have one option or more";
    /// There is no such option.
    UnknownOption = "unknown_option", "there is no such option";
    /// A variant has two options of one type.
    RepeatedType = "repeated_type", "it has an option of this type already";
    /// A cell says no options.
    Choice = "choice", "it must have a type and an option, as Tamanho=200 g; Cor=Azul";
    /// Another variant of the product has the same options.
    VariantExists = "variant_exists", "another variant of the product has these options";
    /// A product has too many variants.
    TooManyVariants { most: u64 } = "too_many_variants", "more than {most} variants";
    /// A product has too many pictures.
    TooManyImages = "too_many_images", "it has too many pictures";
    /// A variant's row stands before any product's.
    NoProductAbove = "no_product_above", "there is no product above this variant";
    /// A variant's row names another product than the row above.
    OtherProduct = "other_product", "it is not the product of the row above";
    /// A variant's row fills a column of products.
    ColumnOfProduct = "column_of_product", "variants do not have this column";
    /// A row has too few or too many cells.
    CellCount { found: u64, expected: u64 } = "cell_count", "it has {found} cells instead of {expected}";
    /// A cell is not UTF-8.
    NotUtf8 = "not_utf8", "it is not UTF-8";
    /// A file has a column that is not known.
    UnknownColumn { name: String } = "unknown_column", "there is no such column: {name}";
    /// A file lacks a column.
    MissingColumn { name: &'static str } = "missing_column", "the column {name} is missing";
    /// A file has a column twice.
    RepeatedColumn { name: String } = "repeated_column", "the column comes again: {name}";
    /// A file's line is too long.
    LongLine { line: u64 } = "long_line", "a line is too long, or its quotes do not end: {line}";
    /// A file is no CSV.
    NotCsv { line: u64 } = "not_csv", "it is no CSV file: line {line}";
    /// The file, or the shop, is not as it was when the file was checked.
    ChangedDuringImport = "changed_during_import", "the file or the shop changed during the import";
    /// Another product or variant has this value.
    AlreadyUsed = "already_used", "it is already in use";
    /// Another row of the file has this value.
    RepeatedInFile = "repeated_in_file", "it is in a row above already";
    /// The address book is full.
    TooManyAddresses { most: u64 } = "too_many_addresses", "the limit of {most} addresses is reached";
    /// An order has too many lines.
    TooManyProducts { most: u64 } = "too_many_products", "it must have {most} different products or fewer";
    /// The cart has as many lines as it may have.
    CartFull = "cart_full", "the cart is full";
    /// The wishlist has as many products as it may have.
    WishlistFull = "wishlist_full", "the wishlist is full";
    /// A picture is not kept in this width.
    PictureWidth { widths: String } = "picture_width", "it must be one of these widths: {widths}";
    /// A file is no picture.
    PictureFormat = "picture_format", "it must be a JPEG, PNG, WebP or GIF";
    /// A picture cannot be decoded.
    PictureBroken = "picture_broken", "the picture is broken or not complete";
    /// A picture has too many pixels.
    PictureTooLarge { most_megapixels: u32 } = "picture_too_large", "the picture must have {most_megapixels} megapixels at most";
    /// A picture takes too long to decode.
    PictureTooCostly = "picture_too_costly", "the picture takes too much work; make it smaller, or save it as a plain JPEG";
    /// An uploaded file is too large.
    FileTooLarge { most_mb: u32 } = "file_too_large", "the file must be {most_mb} MB at most";
    /// An NF-e needs the customer's CPF.
    CustomerCpf = "customer_cpf", "the customer's CPF or CNPJ is needed";
    /// A city's code is another state's.
    CityNotInState = "city_not_in_state", "the city is not in this state";
    /// There is no such city in the state.
    UnknownCity = "unknown_city", "there is no such city in this state";
    /// An NF-e has too few or too many lines.
    InvoiceLines { least: u64, most: u64 } = "invoice_lines", "an NF-e has {least} to {most} lines";
    /// An NF-e's discount or freight is out of range.
    InvoiceDiscount = "invoice_discount", "the discount must not exceed the goods' value";
    /// An NF-e's series or number is out of range.
    InvoiceNumber = "invoice_number", "series or number is out of range";
    /// An NF-e's random code is one that the layout forbids.
    InvoiceCode = "invoice_code", "the access key's random code must not be this one";
}

impl From<ParseMoneyError> for InvalidValue {
    fn from(error: ParseMoneyError) -> Self {
        match error {
            ParseMoneyError::NotANumber => Self::NotANumber,
            ParseMoneyError::TooManyDecimals => Self::FinerThanCents,
            ParseMoneyError::OutOfRange => Self::OutOfRange,
        }
    }
}
