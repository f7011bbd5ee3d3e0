//! What is wrong with a value: a code and its numbers, for every surface to say in its own words.

use serde::Serialize;

use crate::money::ParseMoneyError;

/// Makes the enum, its codes and its English texts from one table.
macro_rules! invalid_values {
    ($($(#[$doc:meta])* $name:ident $({ $($field:ident: $type:ty),+ })? = $code:literal, $text:literal;)+) => {
        /// What is wrong with a value.
        ///
        /// It displays in English, for a log. A surface that talks to people matches on it, or
        /// takes its [`InvalidValue::code`] and the values that its JSON has beside the code:
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
            #[doc = concat!("It says `", $text, "`.")]
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
    Required = "required", "it is required";
    RequiredWith { other: &'static str } = "required_with", "it is required with {other}";
    AtLeast { least: i64 } = "at_least", "it must be at least {least}";
    AtMost { most: i64 } = "at_most", "it must be at most {most}";
    Between { least: i64, most: i64 } = "between", "it must be from {least} to {most}";
    NotPositive = "not_positive", "it must be greater than zero";
    NotANumber = "not_a_number", "it must be a number";
    NotWhole = "not_whole", "it must be a whole number";
    FinerThanCents = "finer_than_cents", "it must have two decimals at most";
    OutOfRange = "out_of_range", "it is out of range";
    ShorterThanInside = "shorter_than_inside", "it must not be shorter than inside";
    NotAboveTare = "not_above_tare", "it must be more than the empty box weighs";
    QuotedItems = "quoted_items", "it must be items with their quantities, e.g. id:2,id/variant:1";
    Facets = "facets", "it must be category, price or inStock, with commas between";
    Length { most_cm: u32 } = "length", "it must be from 0.1 to {most_cm} cm";
    Weight { most_kg: u32 } = "weight", "it must be from 0 to {most_kg} kg";
    NotABoolean = "not_a_boolean", "it must be true or false";
    MinItems { least: u64 } = "min_items", "it must have {least} items or more";
    MaxItems { most: u64 } = "max_items", "it must have {most} items or fewer";
    ItemCount { least: u64, most: u64 } = "item_count", "it must have {least} to {most} items";
    MinCharacters { least: u64 } = "min_characters", "it must have {least} characters or more";
    MaxCharacters { most: u64 } = "max_characters", "it must have {most} characters or fewer";
    Characters = "characters", "it has characters that are not allowed";
    TooLarge { most_mib: u32 } = "too_large", "it must be {most_mib} MiB at most";
    NotAnObject = "not_an_object", "it must be an object";
    NotFuture = "not_future", "it must be in the future";
    /// `why` is the parser's message.
    Unreadable { why: String } = "unreadable", "it cannot be read: {why}";
    AnalyticsId = "analytics_id", "it must have up to 64 letters, digits, '-', '_', '.' or ':'";
    CardToken = "card_token", "it is no token of a card";
    Cart = "cart", "it is no cart";
    Cep = "cep", "it is no CEP";
    Cnpj = "cnpj", "it is no CNPJ";
    Cpf = "cpf", "it is no CPF";
    Csosn = "csosn", "it must be 102, 103, 300, 400, 500 or 900";
    CsosnOfRegime = "csosn_of_regime", "a MEI may only use 102, 300, 400 or 900";
    CfopOfRegime = "cfop_of_regime", "a MEI sells with CSOSN 102 as 5102 or 6102 only, and with 900 not at all";
    CfopPlace { first: char } = "cfop_place", "it must begin with {first}: 5 within the state, 6 outside it";
    GtinOfCategory = "gtin_of_category", "a category has no GTIN";
    NcmRequired { product: String } = "ncm_required", "the product {product} needs an NCM, of its own, its category's or nfe.defaults.ncm";
    Production = "production", "it must be own or resale";
    CestRequired = "cest_required", "CSOSN 500 needs the CEST";
    Cursor = "cursor", "it is no cursor";
    Date = "date", "it must be a date in ISO 8601";
    DigitCount = "digit_count", "it has another number of digits";
    Email = "email", "it is no e-mail address";
    ETag = "etag", "it must be an ETag";
    EventId = "event_id", "it must be an event's id";
    EventName = "event_name", "there is no such event";
    FileName = "file_name", "it is no name of a file";
    FiscalUnit = "fiscal_unit", "it must have 1 to 6 letters or digits";
    Gtin = "gtin", "it is no GTIN";
    HttpsUrl = "https_url", "it must be an https address";
    IdempotencyKey = "idempotency_key", "it must have 1 to 255 visible characters, without spaces";
    InvoiceKey = "invoice_key", "it is no access key of an invoice";
    Month = "month", "it must be a month, as 2026-11";
    Origin = "origin", "it must be an origin, as https://loja.example";
    Payload = "payload", "it is no event of the provider";
    PictureFile = "picture_file", "no picture of this name was uploaded";
    PictureUrl = "picture_url", "it must be a path that begins with / or an http(s) address";
    PublicUrl = "public_url", "it must be a public address";
    Slug = "slug", "it must have 2 to 120 characters: small letters without accents, digits, hyphens and underscores";
    State = "state", "it is no state";
    StateRegistration = "state_registration", "it must have 2 to 14 digits, or be ISENTO";
    BuyerRegistration = "buyer_registration", "it must have 2 to 14 digits; a company without a registration says none";
    OneBuyer = "one_buyer", "it is a CPF or a CNPJ, not both";
    OwnCnpj = "own_cnpj", "it is the CNPJ of the shop itself";
    CfopOfConsumers = "cfop_of_consumers", "6107 and 6108 are for buyers without a state registration";
    CsosnOfContributors = "csosn_of_contributors", "CSOSN 900 is for buyers with a state registration";
    WebhookUrl = "webhook_url", "it must be an https address, as https://exemplo.com/x";
    UnknownCategory = "unknown_category", "there is no such category";
    ProductKind = "product_kind", "the shop sells no products of this kind";
    StockOfProduct = "stock_of_product", "the units are counted together for all variants: give each its own";
    CategoryOfImport = "category_of_import", "there is no such category; with category_name it is made";
    NoUnits = "no_units", "it must name one unit or more";
    NoOption = "no_option", "it must have one option or more";
    UnknownOrderItem = "unknown_order_item", "the order has no such line";
    UnknownOption = "unknown_option", "there is no such option";
    RepeatedType = "repeated_type", "it has an option of this type already";
    Choice = "choice", "it must have a type and an option, as Tamanho=200 g; Cor=Azul";
    VariantExists = "variant_exists", "another variant of the product has these options";
    TooManyVariants { most: u64 } = "too_many_variants", "more than {most} variants";
    TooManyImages = "too_many_images", "it has too many pictures";
    NoProductAbove = "no_product_above", "there is no product above this variant";
    SkuOfVariant = "sku_of_variant", "it is a variant's, whose row needs its options in the column variant, and its product's row above it";
    OtherProduct = "other_product", "it is not the product of the row above";
    ColumnOfProduct = "column_of_product", "variants do not have this column";
    CellCount { found: u64, expected: u64 } = "cell_count", "it has {found} cells instead of {expected}";
    /// The last row of a file that ends without a line's end.
    CutOffRow { found: u64, expected: u64 } = "cut_off_row", "the file ends in the middle of it, at cell {found} of {expected}; if it is whole, a line break is missing behind it";
    NamelessColumn { column: u64 } = "nameless_column", "column {column} has no name and something in this row";
    NotUtf8 = "not_utf8", "it is not UTF-8";
    UnknownColumn { name: String } = "unknown_column", "there is no such column: {name}";
    MissingColumn { name: &'static str } = "missing_column", "the column {name} is missing";
    RepeatedColumn { name: String } = "repeated_column", "the column comes again: {name}";
    LongLine { line: u64 } = "long_line", "a line is too long, or its quotes do not end: {line}";
    NotCsv { line: u64 } = "not_csv", "it is no CSV file: line {line}";
    ChangedDuringImport = "changed_during_import", "the file or the shop changed during the import";
    AlreadyUsed = "already_used", "it is already in use";
    RepeatedInFile = "repeated_in_file", "it is in a row above already";
    TooManyAddresses { most: u64 } = "too_many_addresses", "the limit of {most} addresses is reached";
    TooManyBoxes { most: u64 } = "too_many_boxes", "the limit of {most} boxes is reached";
    TooManyTariffs { most: u64 } = "too_many_tariffs", "the limit of {most} tariffs is reached";
    TooManyProducts { most: u64 } = "too_many_products", "it must have {most} different products or fewer";
    CartFull = "cart_full", "the cart is full";
    WishlistFull = "wishlist_full", "the wishlist is full";
    PictureWidth { widths: String } = "picture_width", "it must be one of these widths: {widths}";
    WebhookSecret = "webhook_secret", "what follows `whsec_` must be base64";
    PictureFormat = "picture_format", "it must be a JPEG, PNG, WebP or GIF";
    PictureBroken = "picture_broken", "the picture is broken or not complete";
    PictureTooLarge { most_megapixels: u32 } = "picture_too_large", "the picture must have {most_megapixels} megapixels at most";
    PictureTooCostly = "picture_too_costly", "the picture takes too much work; make it smaller, or save it as a plain JPEG";
    FileTooLarge { most_mb: u32 } = "file_too_large", "the file must be {most_mb} MB at most";
    CustomerCpf = "customer_cpf", "the customer's CPF or CNPJ is needed";
    CityNotInState = "city_not_in_state", "the city is not in this state";
    UnknownCity = "unknown_city", "there is no such city in this state";
    InvoiceLines { least: u64, most: u64 } = "invoice_lines", "an NF-e has {least} to {most} lines";
    InvoiceDiscount = "invoice_discount", "the discount must not exceed the goods' value";
    InvoiceNumber = "invoice_number", "series or number is out of range";
    InvoiceCode = "invoice_code", "the access key's random code must not be this one";
    /// Invoices take Latin letters alone, and nothing is left of the text.
    InvoiceText = "invoice_text", "an invoice takes none of its characters";
    /// An invoice of a return is issued by another company than the sale.
    InvoiceCompany = "invoice_company", "the sale was invoiced by another company";
    /// An invoice of a return has no lines, or not those of its sale.
    ReturnLines = "return_lines", "it must have units of the sale, each line once";
    /// More units come back than were sold and are not back yet.
    ReturnedUnits { most: u64 } = "returned_units", "there are {most} units that can come back";
    /// The invoice of a return comes to what the return does.
    SaidByReturn = "said_by_return", "the return says it";
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
