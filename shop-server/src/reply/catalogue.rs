//! Every error that the shop answers with: its status, its stable code, its text for people, and
//! what it means to the author of a program. `docs/errors.md` and the OpenAPI document are made
//! from it.

use hyper::StatusCode;

/// Makes [`Code`] and what is known of each of its values.
macro_rules! catalogue {
    ($($name:ident $status:literal $code:literal $text:literal when $when:literal then $then:literal;)+) => {
        /// An error that the shop answers with.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Code { $(#[doc = $when] $name,)+ }

        impl Code {
            /// All of them, in the order of the catalogue.
            pub(crate) const ALL: &[Self] = &[$(Self::$name),+];

            pub(crate) fn status(self) -> StatusCode {
                let status = match self { $(Self::$name => $status,)+ };
                StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
            }

            /// What programs go by. Never changes.
            pub(crate) fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            /// What people read, in Brazilian Portuguese; what is filled in stands in braces.
            pub(crate) fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// When it comes.
            pub(crate) fn when(self) -> &'static str {
                match self { $(Self::$name => $when,)+ }
            }

            /// What to do about it.
            #[cfg(test)]
            pub(crate) fn then(self) -> &'static str {
                match self { $(Self::$name => $then,)+ }
            }
        }
    };
}

catalogue! {
    InvalidInput 400 "invalid_input" "Dados inválidos"
        when "A field, a parameter or a header breaks its rule; `details` names every wrong one, up to a hundred"
        then "Show each message beside its field, and send again";
    InvalidStructure 422 "invalid_input" "Dados inválidos"
        when "The stock webhook's body is JSON of another shape; `details` names every wrong field"
        then "Mend the program that sends it";
    MalformedJson 400 "malformed_json" "Payload inválido"
        when "The body is no JSON, is no UTF-8, or is nested deeper than 64 levels"
        then "Mend the program that sends it";
    UnsupportedContentType 400 "unsupported_content_type" "Payload inválido: envie o cabeçalho Content-Type: {type}"
        when "`Content-Type` says something else than what the endpoint takes"
        then "Send `application/json`, or `multipart/form-data` where a file is wanted";
    MalformedForm 400 "malformed_form" "Payload inválido"
        when "The parts of a form cannot be told apart"
        then "Leave making the form to a library";
    BrokenBody 400 "broken_body" "Payload inválido"
        when "The body ended before its end, or its framing is wrong"
        then "Send again";
    RequestTimeout 408 "request_timeout" "Tempo esgotado"
        when "The body did not come in time"
        then "Send again";
    PayloadTooLarge 413 "payload_too_large" "Conteúdo grande demais"
        when "The body is larger than the endpoint takes (64 KiB where it says nothing else)"
        then "Send less at once";
    NotFound 404 "not_found" "Rota não encontrada"
        when "There is no such path"
        then "Look at the path, and at what stands in its braces";
    MethodNotAllowed 405 "method_not_allowed" "Método não permitido"
        when "There is such a path, but not with this method"
        then "`Allow` names its methods";
    InvalidHost 400 "invalid_host" "Requisição inválida: envie um único cabeçalho Host"
        when "An HTTP/1.1 request has no `Host`, or a request has several"
        then "Leave making the request to a library";
    ForeignOrigin 403 "foreign_origin" "Acesso negado"
        when "A page of another origin made a browser send it with a cookie"
        then "Call from the shop's own pages, name the origin in `allowed_origins`, or call with a bearer token";
    RateLimited 429 "rate_limited" "Muitas tentativas. Tente novamente em {wait}."
        when "More calls than the endpoint allows one client, or too many wrong passwords of one account"
        then "Wait for as many seconds as `Retry-After` says";
    Busy 503 "busy" "Tente novamente em instantes"
        when "Too much is queued, or the database does not answer; nothing was done"
        then "Wait for as many seconds as `Retry-After` says, and send again";
    ProviderFailure 500 "provider_failure" "Falha no provedor externo. Tente novamente"
        when "A payment provider, the tax office or another third party failed; the shop is as it was"
        then "Try again later, with the same `Idempotency-Key` where there is one";
    InternalError 500 "internal_error" "Erro interno"
        when "A defect of the shop or of its machine"
        then "Report it with `requestId`, by which the log has the reason";

    Unauthenticated 401 "unauthenticated" "Não autenticado"
        when "No session, or one that has ended"
        then "Log in";
    InvalidCredentials 401 "invalid_credentials" "Email ou senha inválidos"
        when "E-mail and password do not belong together"
        then "Ask for them again, or offer to reset the password";
    TwoFactorRequired 401 "two_factor_required" "Informe o código de verificação"
        when "E-mail and password are right, and the account's log-ins need a code besides"
        then "Ask for the code of the authenticator, or a recovery code, and send it as `code`";
    InvalidTwoFactor 401 "invalid_two_factor_code" "Código de verificação inválido"
        when "The code of the authenticator is wrong, too old or was used, or there is no such recovery code"
        then "Ask for the next code; the clock of the device must be right";
    WrongPassword 401 "wrong_password" "Senha atual incorreta"
        when "The current password, which confirms the change, is wrong"
        then "Ask for it again";
    InvalidApiKey 401 "invalid_api_key" "API key inválida ou sem permissão"
        when "No API key, one that was revoked or is too old, or one without the scope"
        then "Make a key with the scope that the endpoint names";
    InvalidSignature 401 "invalid_signature" "Assinatura inválida"
        when "A provider's notice is not signed with the shared secret, or too long ago"
        then "Look at the secret in the settings, and at the clock";
    Forbidden 403 "forbidden" "Acesso negado"
        when "The session is of another role"
        then "Log in with an account that may";
    TwoFactorRequiredByShop 403 "two_factor_required_by_shop" "A loja exige a verificação em duas etapas. Ative-a para continuar"
        when "The setting `staff.require_two_factor` is on, and the admin has no two-factor log-ins yet"
        then "Enrol by `/api/admin/settings/two-factor`";
    AccountSuspended 403 "account_suspended" "Conta suspensa"
        when "E-mail and password are right, but staff suspended the account"
        then "Write to the shop";

    AccountNotFound 404 "account_not_found" "Conta não encontrada"
        when "There is no such customer"
        then "Look at the id";
    SessionNotFound 404 "session_not_found" "Sessão não encontrada"
        when "The account has no such session, or it has ended"
        then "Read the sessions again";
    AddressNotFound 404 "address_not_found" "Endereço não encontrado"
        when "The address book has no such address"
        then "Read the address book again";
    CategoryNotFound 404 "category_not_found" "Categoria não encontrada"
        when "There is no such category"
        then "Read the categories again";
    ProductNotFound 404 "product_not_found" "Produto não encontrado"
        when "There is no such product, or it is not on sale where only those count"
        then "Read the catalogue again";
    VariantNotFound 404 "variant_not_found" "Variante não encontrada"
        when "The product has no such variant"
        then "Read the product again";
    VariantTypeNotFound 404 "variant_type_not_found" "Tipo de variante não encontrado"
        when "There is no such kind of variation"
        then "Read the kinds of variation again";
    VariantOptionNotFound 404 "variant_option_not_found" "Opção de variante não encontrada"
        when "The kind of variation has no such option"
        then "Read the options again";
    ReviewNotFound 404 "review_not_found" "Avaliação não encontrada"
        when "There is no such review"
        then "Read the reviews again";
    CartItemNotFound 404 "cart_item_not_found" "Item não encontrado no carrinho"
        when "The cart has no such line"
        then "Read the cart again";
    WishlistItemNotFound 404 "wishlist_item_not_found" "O produto não está na lista de desejos"
        when "The wishlist does not have the product"
        then "Nothing: it is not there";
    OrderNotFound 404 "order_not_found" "Pedido não encontrado"
        when "There is no such order, or it is another customer's"
        then "Look at the id";
    ReturnNotFound 404 "return_not_found" "Devolução não encontrada"
        when "There is no such return, or it is another customer's"
        then "Look at the id";
    PaymentNotFound 404 "payment_not_found" "Pagamento não encontrado"
        when "There is no such payment"
        then "Look at the id";
    NotificationNotFound 404 "notification_not_found" "Notificação não encontrada"
        when "There is no such notification, or it is another customer's"
        then "Read the notifications again";
    InvoiceNotFound 404 "invoice_not_found" "NF-e não encontrada"
        when "The order has no invoice, or none in the state that is asked for"
        then "Issue it first";
    MediaNotFound 404 "media_not_found" "Arquivo não encontrado"
        when "The shop keeps no such picture"
        then "Look at the address";
    ApiKeyNotFound 404 "api_key_not_found" "API key não encontrada"
        when "There is no such API key"
        then "Read the keys again";
    WebhookNotFound 404 "webhook_not_found" "Webhook não encontrado"
        when "There is no such receiver of webhooks"
        then "Read the receivers again";
    WebhookDeliveryNotFound 404 "webhook_delivery_not_found" "Entrega não encontrada"
        when "The receiver has no such delivery"
        then "Read the deliveries again";
    EventNotFound 404 "event_not_found" "O evento não está mais disponível"
        when "The event of the delivery is not kept any more (30 days)"
        then "Read what it was about instead";
    CouponNotFound 404 "coupon_not_found" "Cupom não encontrado"
        when "There is no coupon of this id"
        then "Read the coupons again";
    TariffNotFound 404 "tariff_not_found" "Tarifa de frete não encontrada"
        when "There is no such tariff"
        then "Read the tariffs again";

    ChangedMeanwhile 412 "changed_meanwhile" "Alterado por outra pessoa. Recarregue e tente novamente"
        when "It was changed since the state that `If-Match` names"
        then "Read it again, and change that";
    EmailTaken 409 "email_taken" "E-mail já cadastrado"
        when "Another account has this e-mail"
        then "Offer to log in, or take another e-mail";
    ExternalIdTaken 409 "external_id_taken" "Esta conta já tem outro vínculo, ou o vínculo é de outra conta"
        when "The program around the shop gives an account a second key, or two accounts one key"
        then "Look at whose key it is";
    SlugTaken 409 "slug_taken" "Slug já cadastrado"
        when "Another product, category or kind of variation has this slug"
        then "Take another slug";
    SkuTaken 409 "sku_taken" "SKU já cadastrado"
        when "Another product or variant has this SKU"
        then "Take another SKU";
    VariantExists 409 "variant_exists" "O produto já tem uma variante com estas opções"
        when "Another variant of the product has the same options"
        then "Change that variant instead";
    OptionExists 409 "option_exists" "O tipo de variante já tem esta opção"
        when "The kind of variation has an option of this name or slug"
        then "Take the option that is there";
    InUse 409 "in_use" "Não pode ser excluído: está em uso"
        when "Other things need it; `details.formErrors` has the first ten of them"
        then "Change those first";
    AlreadySubscribed 409 "already_subscribed" "E-mail já inscrito na newsletter"
        when "This address receives the newsletter already"
        then "Nothing: it is done";
    AdminAccount 409 "admin_account" "Uma conta de administrador não pode ser excluída"
        when "An account that runs the shop cannot erase itself"
        then "Ask another admin";
    LastAdmin 409 "last_admin" "Esta é a única conta de administrador ativa da loja"
        when "The shop must keep one active admin"
        then "Make or activate another admin first";
    OpenOrders 409 "open_orders" "Há pedidos em andamento. A conta poderá ser excluída quando eles forem entregues ou cancelados"
        when "An order of the account is unpaid or under way"
        then "Wait until it is delivered or cancelled";
    CouponCodeTaken 409 "coupon_code_taken" "Código de cupom já cadastrado"
        when "Another coupon has this code, in whatever case"
        then "Take another code";
    AlreadyOnWishlist 409 "already_on_wishlist" "O produto já está na lista de desejos"
        when "The wishlist has the product already"
        then "Nothing: it is done";
    GoodsLeft 409 "goods_left" "A mercadoria já saiu: a NF-e não pode mais ser cancelada"
        when "The order was sent or delivered"
        then "Issue an invoice of the return instead";
    InvoiceAuthorized 409 "invoice_authorized" "A NF-e está autorizada: cancele-a em vez de inutilizar o número"
        when "The number belongs to an authorised invoice"
        then "Cancel the invoice instead";
    InvoiceCancelled 409 "invoice_cancelled" "A NF-e foi cancelada: ela não pode ser corrigida, nem o número dela inutilizado"
        when "The number belongs to an invoice that was authorised and then cancelled"
        then "Nothing: a cancelled invoice keeps its number";
    AddressFixed 409 "address_fixed" "O endereço não pode mais ser alterado: há uma NF-e com ele, ou o pedido já foi entregue"
        when "The order has an invoice, or was delivered"
        then "Cancel the invoice first, or register a correction letter";
    CorrectionTooLate 409 "correction_too_late" "A carta de correção só é possível até 720 horas depois da autorização da NF-e"
        when "The invoice was authorised more than 720 hours ago"
        then "Ask the accountant";
    CorrectionsUsedUp 409 "corrections_used_up" "A NF-e já tem as 20 cartas de correção possíveis"
        when "The invoice has twenty correction letters"
        then "Ask the accountant";
    InvoiceReturned 409 "invoice_returned" "Há NF-e de devolução desta venda: a NF-e da venda não pode ser cancelada"
        when "An invoice says that goods of the sale came back"
        then "Cancel the invoices of the returns first";
    PaymentInProcess 409 "payment_in_process" "Há outro pagamento deste pedido em análise. Aguarde alguns minutos"
        when "It is not known yet what became of another payment of the order"
        then "Wait for some minutes, and look at the order";
    UnitsReturned 409 "units_returned" "Estes itens já estão em outra devolução"
        when "The units are part of another return, or all of the order's are"
        then "Look at the order's returns";
    ReturnState 409 "return_state" "A situação da devolução não permite isso. Recarregue e confira"
        when "The state of the return does not allow the act: it was decided, received, refunded or cancelled before"
        then "Read it again";
    WithdrawalStands 409 "withdrawal_stands" "A desistência dentro do prazo é um direito do cliente e não pode ser recusada"
        when "Staff reject a withdrawal that came in its term"
        then "Receive the goods and give the money back";
    AlreadyReviewed 409 "already_reviewed" "Você já avaliou este produto"
        when "The customer has a review of this product that waits or is shown"
        then "Nothing: it is done";
    WebhookInactive 409 "webhook_inactive" "Ative o webhook antes de reenviar"
        when "The receiver is switched off"
        then "Switch it on first";
    TwoFactorEnabled 409 "two_factor_enabled" "A verificação em duas etapas já está ativa"
        when "The account has two-factor log-ins already"
        then "Disable them first, to enrol another authenticator";
    TwoFactorNotEnabled 409 "two_factor_not_enabled" "A verificação em duas etapas não está ativa"
        when "The account has no two-factor log-ins"
        then "Nothing: it is done";
    TwoFactorNotBegun 409 "two_factor_not_begun" "Inicie a ativação da verificação em duas etapas antes de confirmá-la"
        when "No enrolment was begun that the code could confirm"
        then "Begin one, and confirm that";
    OwnAccount 409 "own_account" "Você não pode suspender a própria conta"
        when "An admin cannot suspend the own account"
        then "Ask another admin";

    TooManyUnits 400 "too_many_units" "Um pedido pode ter no máximo {max} unidades. Para comprar mais, fale com a loja"
        when "More units than one order may have (`orders.max_units_per_order`)"
        then "Order less, or write to the shop";
    TooManyUnpaidOrders 409 "too_many_unpaid_orders" "Você já tem {max} pedidos aguardando pagamento. Pague um deles, ou aguarde, antes de fazer outro"
        when "Too many orders of the customer await payment (`orders.max_open_unpaid`)"
        then "Pay one of them; unpaid ones are cancelled after a while";
    TooManyOrders 429 "too_many_orders" "Muitos pedidos em pouco tempo. Tente novamente em {wait}"
        when "The customer placed too many orders within an hour (`orders.max_per_hour`)"
        then "Wait for as many seconds as `Retry-After` says";
    EmptyCart 400 "empty_cart" "O carrinho está vazio"
        when "Neither lines in the request nor in the saved cart"
        then "Send `cartItems`, or fill the cart first";
    InsufficientStock 400 "insufficient_stock" "Estoque insuficiente para {name} (disponível: {available})"
        when "Fewer units are left than asked for"
        then "Ask for fewer";
    VariantRequired 400 "variant_required" "Escolha uma opção de {name}"
        when "The product is sold in its variants only, and none was named"
        then "Name a variant of it (`variantId`)";
    ProductInactive 400 "product_inactive" "Produto indisponível: {name}"
        when "The product is not on sale, or there is no such product or variant"
        then "Take it out of the cart";
    UnknownShippingOption 400 "unknown_shipping_option" "Opção de frete indisponível"
        when "No shipping option of the current quote has this id"
        then "Ask for a quote again";
    CepNotFound 422 "cep_not_found" "CEP não encontrado"
        when "There is positively no such postal code"
        then "Ask for it again";
    AmountOutOfRange 400 "amount_out_of_range" "O valor do pedido não pode ser pago"
        when "The order's total is more, or less, than a payment can carry"
        then "Split the order";
    AlreadyPaid 400 "already_paid" "O pedido já foi pago"
        when "The order is paid"
        then "Nothing: it is done";
    OrderClosed 400 "order_closed" "O pedido não pode mais ser pago"
        when "The order was cancelled or refunded"
        then "Place another order";
    OrderNotPaid 400 "order_not_paid" "O pedido não está pago"
        when "Only a paid order has an invoice, and not one that was cancelled or refunded"
        then "Wait for the payment, or record it";
    CouponUnknown 400 "coupon_not_found" "Cupom não encontrado"
        when "No coupon has this code"
        then "Place the order without it, or ask for another";
    CouponInactive 400 "coupon_inactive" "Cupom inativo"
        when "Staff switched the coupon off"
        then "Place the order without it, or ask for another";
    CouponExpired 400 "coupon_expired" "Cupom expirado"
        when "The coupon is past its date"
        then "Place the order without it, or ask for another";
    CouponUsedUp 400 "coupon_used_up" "Limite de usos atingido"
        when "The coupon was used as often as it may be"
        then "Place the order without it, or ask for another";
    CouponBelowMinimum 400 "coupon_below_minimum" "Pedido abaixo do valor mínimo"
        when "The order comes to less than the coupon demands"
        then "Buy more, or place the order without it";
    InvalidCardToken 400 "invalid_card_token" "Token do cartão inválido. Informe o cartão novamente"
        when "The card's token is unknown, used or too old"
        then "Have the browser get another token";
    NothingToRefund 400 "nothing_to_refund" "Não há pagamento a reembolsar neste pedido"
        when "No payment of the order has money that could be given back"
        then "Nothing: it is done";
    NothingToReturn 400 "nothing_to_return" "Todas as unidades deste pedido já foram devolvidas"
        when "All units of the order are on invoices of returns already"
        then "Nothing: it is done";
    RefundTooLarge 400 "refund_too_large" "Só é possível reembolsar até {left}"
        when "More is to be given back than is left"
        then "Ask for less";
    RefundDeclined 422 "refund_declined" "O provedor de pagamento recusou o reembolso"
        when "The provider says no to a refund"
        then "Look into the provider's own pages";
    NfeRejected 400 "nfe_rejected" "SEFAZ {code}: {text}"
        when "The tax office does not accept the invoice, the event or the request as it is"
        then "Mend what its words name, and issue again";
    NfeDenied 400 "nfe_denied" "Uso denegado pela SEFAZ ({code}): {text}"
        when "The tax office denies the use of the invoice for good"
        then "Settle it with the tax office; the next one takes another number";
    OrderNotReturnable 400 "order_not_returnable" "Este pedido não pode ser devolvido: ele não foi pago, ou já foi cancelado ou reembolsado"
        when "The order is neither paid nor sent, or was cancelled or refunded"
        then "Nothing can be returned of it";
    ReturnTooLate 400 "return_too_late" "O prazo para esta devolução terminou em {date}"
        when "The term for a withdrawal (7 days) or for a defect (90 days) is over; both are settings"
        then "Write to the shop, which may take the goods back as a courtesy";
    InvalidResetToken 400 "invalid_reset_token" "Link de redefinição inválido ou expirado. Solicite um novo"
        when "The link to reset a password is unknown, used or too old"
        then "Ask for another link";
    InvalidUnsubscribeToken 400 "invalid_unsubscribe_token" "Link inválido"
        when "The shop has not signed the link to leave the newsletter"
        then "Unsubscribe by the address";
    IdempotencyKeyReused 422 "idempotency_key_reused" "A chave de idempotência já foi usada em outra requisição"
        when "The same `Idempotency-Key` came with another request within 24 hours"
        then "Take another key for another request";

    CardBadNumber 422 "card_bad_number" "Confira o número do cartão"
        when "The card's number is wrong"
        then "Ask for it again";
    CardBadExpiryDate 422 "card_bad_expiry_date" "Confira a validade do cartão"
        when "The card's expiry date is wrong"
        then "Ask for it again";
    CardBadCvv 422 "card_bad_security_code" "Confira o código de segurança do cartão"
        when "The card's security code is wrong"
        then "Ask for it again";
    CardBadData 422 "card_bad_data" "Confira os dados do cartão"
        when "Something else about the card is wrong"
        then "Ask for it again";
    CardCallForAuthorize 422 "card_call_for_authorize" "Autorize o pagamento junto ao banco emissor do cartão"
        when "The card's owner must allow the payment with the bank first"
        then "Try again after that";
    CardDisabled 422 "card_disabled" "Ative o cartão junto ao banco emissor"
        when "The card must be activated with the bank first"
        then "Try again after that";
    CardInsufficientAmount 422 "card_insufficient_amount" "Saldo ou limite insuficiente"
        when "There is not enough money or credit"
        then "Offer PIX, or another card";
    CardInvalidInstallments 422 "card_invalid_installments" "O cartão não aceita esse número de parcelas"
        when "The card cannot pay in so many parts"
        then "Offer fewer parts";
    CardDuplicatedPayment 422 "card_duplicated_payment" "Pagamento repetido. Confira se o pedido já foi pago"
        when "The same amount was paid just now"
        then "Look at the order before trying again";
    CardMaxAttempts 422 "card_max_attempts" "Limite de tentativas atingido. Use outro meio de pagamento"
        when "The card was tried too often"
        then "Offer PIX, or another card";
    CardAuthenticationRequired 422 "card_authentication_required" "O banco exige autenticação do cartão. Use outro meio de pagamento"
        when "The bank wants an authentication that was not made"
        then "Offer PIX, or a payment intent";
    CardHighRisk 422 "card_high_risk" "Pagamento recusado. Use outro meio de pagamento"
        when "The provider's fraud check says no"
        then "Offer PIX, or another card";
    CardBlacklisted 422 "card_blacklisted" "Pagamento recusado. Use outro meio de pagamento"
        when "The card is on a list of cards that are not taken"
        then "Offer PIX, or another card";
    CardError 422 "card_error" "Pagamento recusado. Use outro meio de pagamento"
        when "The card cannot be charged"
        then "Offer PIX, or another card";
    CardRejected 422 "card_rejected" "Pagamento recusado. Use outro meio de pagamento"
        when "The card was rejected for any other reason"
        then "Offer PIX, or another card";
}
