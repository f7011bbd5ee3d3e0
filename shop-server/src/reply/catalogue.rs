//! Every error that the shop answers with: its status, its stable code, its text for people, and
//! what it means to the author of a program. `docs/errors.md` and the OpenAPI document are made
//! from it.

use hyper::StatusCode;
use shop_core::Error;

/// Makes [`Code`] and what is known of each of its values.
macro_rules! catalogue {
    ($($name:ident $status:literal $code:literal $text:literal $(when $when:literal)? then $then:literal;)+) => {
        /// An error that the shop answers with.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Code { $(#[doc = $text] $name,)+ }

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

            /// When it comes: what the library says of its errors, unless the answer has more to
            /// say.
            pub(crate) fn when(self) -> &'static str {
                let of_answer = match self { $(Self::$name => [$($when)?].first().copied(),)+ };
                let of_shop = || Error::meaning_of(self.as_str())?.strip_suffix('.');
                of_answer.or_else(of_shop).unwrap_or_default()
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
        when "Too much is queued, or the database does not answer or has no room; nothing was done"
        then "Wait for as many seconds as `Retry-After` says, and send again";
    ProviderFailure 500 "provider_failure" "Falha no provedor externo. Tente novamente"
        when "A payment provider, the tax office or another third party failed; the shop is as it was"
        then "Try again later, with the same `Idempotency-Key` where there is one";
    InternalError 500 "internal_error" "Erro interno"
        when "A defect of the shop or of its machine"
        then "Report it with `requestId`, by which the log has the reason";

    Unauthenticated 401 "unauthenticated" "Não autenticado"
        then "Log in";
    InvalidCredentials 401 "invalid_credentials" "Email ou senha inválidos"
        then "Ask for them again, or offer to reset the password";
    TwoFactorRequired 401 "two_factor_required" "Informe o código de verificação"
        then "Ask for the code of the authenticator, or a recovery code, and send it as `code`";
    InvalidTwoFactor 401 "invalid_two_factor_code" "Código de verificação inválido"
        then "Ask for the next code; the clock of the device must be right";
    WrongPassword 401 "wrong_password" "Senha atual incorreta"
        then "Ask for it again";
    InvalidApiKey 401 "invalid_api_key" "API key inválida ou sem permissão"
        then "Make a key with the scope that the endpoint names";
    InvalidSignature 401 "invalid_signature" "Assinatura inválida"
        then "Look at the secret in the settings, and at the clock";
    InvalidConnectState 401 "invalid_connect_state" "Esta autorização não foi iniciada pela loja ou já expirou. Comece de novo"
        then "Begin the connection again";
    InvalidOrderLink 401 "invalid_order_link" "Este link do pedido não vale mais"
        then "Open the link of a later mail about the order, or log in";
    Forbidden 403 "forbidden" "Acesso negado"
        when "The session is of another role"
        then "Log in with an account that may";
    TwoFactorRequiredByShop 403 "two_factor_required_by_shop" "A loja exige a verificação em duas etapas. Ative-a para continuar"
        then "Enrol by `/api/admin/settings/two-factor`";
    AccountSuspended 403 "account_suspended" "Conta suspensa"
        then "Write to the shop";

    AccountNotFound 404 "account_not_found" "Conta não encontrada"
        then "Look at the id";
    SessionNotFound 404 "session_not_found" "Sessão não encontrada"
        then "Read the sessions again";
    AddressNotFound 404 "address_not_found" "Endereço não encontrado"
        then "Read the address book again";
    CategoryNotFound 404 "category_not_found" "Categoria não encontrada"
        then "Read the categories again";
    ProductNotFound 404 "product_not_found" "Produto não encontrado"
        then "Read the catalogue again";
    VariantNotFound 404 "variant_not_found" "Variante não encontrada"
        then "Read the product again";
    VariantTypeNotFound 404 "variant_type_not_found" "Tipo de variante não encontrado"
        then "Read the kinds of variation again";
    VariantOptionNotFound 404 "variant_option_not_found" "Opção de variante não encontrada"
        then "Read the options again";
    ReviewNotFound 404 "review_not_found" "Avaliação não encontrada"
        then "Read the reviews again";
    CartItemNotFound 404 "cart_item_not_found" "Item não encontrado no carrinho"
        then "Read the cart again";
    WishlistItemNotFound 404 "wishlist_item_not_found" "O produto não está na lista de desejos"
        then "Nothing: it is not there";
    OrderNotFound 404 "order_not_found" "Pedido não encontrado"
        then "Look at the id";
    ReturnNotFound 404 "return_not_found" "Devolução não encontrada"
        then "Look at the id";
    ShipmentNotFound 404 "shipment_not_found" "Envio não encontrado"
        then "Look at the id";
    PaymentNotFound 404 "payment_not_found" "Pagamento não encontrado"
        then "Look at the id";
    NotificationNotFound 404 "notification_not_found" "Notificação não encontrada"
        then "Read the notifications again";
    InvoiceNotFound 404 "invoice_not_found" "NF-e não encontrada"
        then "Issue it first";
    MediaNotFound 404 "media_not_found" "Arquivo não encontrado"
        then "Look at the address";
    ApiKeyNotFound 404 "api_key_not_found" "API key não encontrada"
        then "Read the keys again";
    WebhookNotFound 404 "webhook_not_found" "Webhook não encontrado"
        then "Read the receivers again";
    WebhookDeliveryNotFound 404 "webhook_delivery_not_found" "Entrega não encontrada"
        then "Read the deliveries again";
    EventNotFound 404 "event_not_found" "O evento não está mais disponível"
        then "Read what it was about instead";
    CouponNotFound 404 "coupon_not_found" "Cupom não encontrado"
        when "There is no coupon of this id"
        then "Read the coupons again";
    TariffNotFound 404 "tariff_not_found" "Tarifa de frete não encontrada"
        then "Read the tariffs again";
    BoxNotFound 404 "box_not_found" "Caixa não encontrada"
        when "There is no such box"
        then "Read the boxes again";

    ChangedMeanwhile 412 "changed_meanwhile" "Alterado por outra pessoa. Recarregue e tente novamente"
        when "It was changed since the state that `If-Match` names"
        then "Read it again, and change that";
    EmailTaken 409 "email_taken" "E-mail já cadastrado"
        then "Offer to log in, or take another e-mail";
    ExternalIdTaken 409 "external_id_taken" "Esta conta já tem outro vínculo, ou o vínculo é de outra conta"
        then "Look at whose key it is";
    SlugTaken 409 "slug_taken" "Slug já cadastrado"
        then "Take another slug";
    SkuTaken 409 "sku_taken" "SKU já cadastrado"
        then "Take another SKU";
    VariantExists 409 "variant_exists" "O produto já tem uma variante com estas opções"
        then "Change that variant instead";
    OptionExists 409 "option_exists" "O tipo de variante já tem esta opção"
        then "Take the option that is there";
    ImportUnderWay 409 "import_under_way" "Uma importação de produtos está em andamento. Tente novamente quando ela terminar"
        then "Wait as long as `Retry-After` says, and send again";
    InUse 409 "in_use" "Não pode ser excluído: está em uso"
        when "Other things need it; `details.formErrors` has the first ten of them"
        then "Change those first";
    AlreadySubscribed 409 "already_subscribed" "E-mail já inscrito na newsletter"
        then "Nothing: it is done";
    AdminAccount 409 "admin_account" "Uma conta de administrador não pode ser excluída"
        then "Ask another admin";
    LastAdmin 409 "last_admin" "Esta é a única conta de administrador ativa da loja"
        then "Make or activate another admin first";
    OpenOrders 409 "open_orders" "Há pedidos em andamento ou com nota fiscal a emitir. A conta poderá ser excluída quando eles forem entregues ou cancelados e a nota for emitida"
        then "Wait until it is delivered or cancelled";
    CouponCodeTaken 409 "coupon_code_taken" "Código de cupom já cadastrado"
        then "Take another code";
    AlreadyOnWishlist 409 "already_on_wishlist" "O produto já está na lista de desejos"
        then "Nothing: it is done";
    GoodsLeft 409 "goods_left" "A mercadoria já saiu: a NF-e não pode mais ser cancelada"
        then "Issue an invoice of the return instead";
    InvoiceAuthorized 409 "invoice_authorized" "A NF-e está autorizada: cancele-a em vez de inutilizar o número"
        then "Cancel the invoice instead";
    InvoiceCancelled 409 "invoice_cancelled" "A NF-e foi cancelada: ela não pode ser corrigida, nem o número dela inutilizado"
        then "Nothing: a cancelled invoice keeps its number";
    AddressFixed 409 "address_fixed" "O endereço não pode mais ser alterado: há uma NF-e ou uma etiqueta com ele, ou o pedido já foi entregue"
        then "Cancel the label or the invoice first, or register a correction letter";
    CorrectionTooLate 409 "correction_too_late" "A carta de correção só é possível até 720 horas depois da autorização da NF-e"
        then "Ask the accountant";
    CorrectionsUsedUp 409 "corrections_used_up" "A NF-e já tem as 20 cartas de correção possíveis"
        then "Ask the accountant";
    InvoiceReturned 409 "invoice_returned" "Há NF-e de devolução desta venda: a NF-e da venda não pode ser cancelada"
        then "Cancel the invoices of the returns first";
    OtherEmail 409 "other_email" "O link deste pedido foi enviado para outro e-mail"
        then "Log in with the account of that e-mail, or set a password by the link";
    OrderNotCancellable 409 "order_not_cancellable" "Este pedido já está sendo preparado e não pode mais ser cancelado por aqui"
        then "Ask the shop";
    PaymentInProcess 409 "payment_in_process" "Há um pagamento deste pedido em análise. Tente de novo em alguns minutos ou fale com a loja"
        then "Wait for some minutes, and look at the order";
    TotalChanged 409 "total_changed" "O total do pedido mudou. Confira os valores e faça o pedido de novo"
        then "Ask for the quote and the coupon again, show the new total, and send that as `expectedTotal`";
    UnitsReturned 409 "units_returned" "Estes itens já estão em outra devolução"
        then "Look at the order's returns";
    ReturnState 409 "return_state" "A situação da devolução não permite isso. Recarregue e confira"
        then "Read it again";
    WithdrawalStands 409 "withdrawal_stands" "A desistência dentro do prazo é um direito do cliente e não pode ser recusada"
        then "Receive the goods and give the money back";
    ReturnInvoiced 409 "return_invoiced" "Há NF-e desta devolução: cancele a NF-e antes"
        then "Cancel the invoice of the return first";
    ShipmentExists 409 "shipment_exists" "Estes volumes já têm etiqueta"
        then "Look at the order's shipments; cancel a label to buy another one";
    ShipmentState 409 "shipment_state" "A situação do envio não permite isso. Recarregue e confira"
        then "Read it again; what is unclear is cleared up within minutes";
    LabelNotReady 409 "label_not_ready" "A etiqueta ainda não está pronta, ou foi cancelada"
        then "Wait for the status GENERATED";
    AlreadyReviewed 409 "already_reviewed" "Você já avaliou este produto"
        then "Nothing: it is done";
    WebhookInactive 409 "webhook_inactive" "Ative o webhook antes de reenviar"
        then "Switch it on first";
    TwoFactorEnabled 409 "two_factor_enabled" "A verificação em duas etapas já está ativa"
        then "Disable them first, to enrol another authenticator";
    TwoFactorNotEnabled 409 "two_factor_not_enabled" "A verificação em duas etapas não está ativa"
        then "Nothing: it is done";
    TwoFactorNotBegun 409 "two_factor_not_begun" "Inicie a ativação da verificação em duas etapas antes de confirmá-la"
        then "Begin one, and confirm that";
    OwnAccount 409 "own_account" "Você não pode suspender a própria conta"
        then "Ask another admin";

    TooManyUnits 400 "too_many_units" "Um pedido pode ter no máximo {max} unidades. Para comprar mais, fale com a loja"
        then "Order less, or write to the shop";
    TooManyUnpaidOrders 409 "too_many_unpaid_orders" "Você já tem {max} pedidos aguardando pagamento. Pague um deles, ou aguarde, antes de fazer outro"
        then "Pay one of them; unpaid ones are cancelled after a while";
    TooManyOrders 429 "too_many_orders" "Muitos pedidos em pouco tempo. Tente novamente em {wait}"
        then "Wait for as many seconds as `Retry-After` says";
    EmptyCart 400 "empty_cart" "O carrinho está vazio"
        then "Send `cartItems`, or fill the cart first";
    InsufficientStock 400 "insufficient_stock" "Estoque insuficiente para {name} (disponível: {available})"
        then "Ask for fewer";
    VariantRequired 400 "variant_required" "Escolha uma opção de {name}"
        then "Name a variant of it (`variantId`)";
    ProductInactive 400 "product_inactive" "Produto indisponível: {name}"
        then "Take it out of the cart";
    UnknownShippingOption 400 "unknown_shipping_option" "Opção de frete indisponível"
        then "Ask for a quote again";
    CepNotFound 422 "cep_not_found" "CEP não encontrado"
        then "Ask for it again";
    AmountOutOfRange 400 "amount_out_of_range" "O valor do pedido não pode ser pago"
        then "Split the order";
    AlreadyPaid 400 "already_paid" "O pedido já foi pago"
        then "Nothing: it is done";
    OrderClosed 400 "order_closed" "O pedido não pode mais ser pago"
        then "Place another order";
    OrderNotPaid 400 "order_not_paid" "O pedido não está pago"
        then "Wait for the payment, or record it";
    OrderWithdrawn 400 "order_withdrawn" "O cliente desistiu de todas as unidades antes do envio: não há o que faturar"
        when "The customer withdrew from all units before anything was sent"
        then "Refund the return; there is no invoice of what does not leave";
    CouponUnknown 400 "coupon_not_found" "Cupom não encontrado"
        when "No coupon has this code"
        then "Place the order without it, or ask for another";
    CouponInactive 400 "coupon_inactive" "Cupom inativo"
        then "Place the order without it, or ask for another";
    CouponExpired 400 "coupon_expired" "Cupom expirado"
        then "Place the order without it, or ask for another";
    CouponUsedUp 400 "coupon_used_up" "Limite de usos atingido"
        then "Place the order without it, or ask for another";
    CouponBelowMinimum 400 "coupon_below_minimum" "Pedido abaixo do valor mínimo"
        then "Buy more, or place the order without it";
    InvalidCardToken 400 "invalid_card_token" "Token do cartão inválido. Informe o cartão novamente"
        then "Have the browser get another token";
    NothingToRefund 400 "nothing_to_refund" "Não há pagamento a reembolsar neste pedido"
        then "Nothing: it is done";
    NothingToReturn 400 "nothing_to_return" "Não há unidades a devolver que ainda não tenham nota de devolução"
        then "Nothing: it is done";
    RefundTooLarge 400 "refund_too_large" "Só é possível reembolsar até {left}"
        then "Ask for less";
    RefundDeclined 422 "refund_declined" "O provedor de pagamento recusou o reembolso"
        then "Look into the provider's own pages";
    NfeRejected 400 "nfe_rejected" "SEFAZ {code}: {text}"
        then "Mend what its words name, and issue again";
    NfeDenied 400 "nfe_denied" "Uso denegado pela SEFAZ ({code}): {text}"
        then "Settle it with the tax office; the next one takes another number";
    OrderNotReturnable 400 "order_not_returnable" "Este pedido não pode ser devolvido: ele não foi pago, ou já foi cancelado ou reembolsado"
        then "Nothing can be returned of it";
    OrderNotShippable 400 "order_not_shippable" "Este pedido não pode ser enviado: ele não está pago, já foi entregue, cancelado ou reembolsado, ou não resta nada a enviar"
        then "Wait for the payment, or record it";
    NoLabelProvider 400 "no_label_provider" "A loja não tem um provedor de etiquetas configurado"
        then "Set `shipping.labels.provider`";
    LabelUnreadable 422 "label_unreadable" "O arquivo da etiqueta {parcel} do pedido {order} não pode ser juntado aos outros: imprima-a sozinha"
        when "The provider's file of one label among several is no PDF that can be read"
        then "Print that label on its own, and the others without it";
    ReturnTooLate 400 "return_too_late" "O prazo para esta devolução terminou em {date}"
        then "Write to the shop, which may take the goods back as a courtesy";
    InvalidResetToken 400 "invalid_reset_token" "Link de redefinição inválido ou expirado. Solicite um novo"
        then "Ask for another link";
    MelhorEnvioNotConfigured 400 "melhor_envio_not_configured" "Informe o aplicativo do Melhor Envio na configuração da loja"
        then "Set `shipping.melhor_envio.client_id` and `client_secret`";
    ConnectionNotAllowed 400 "connection_not_allowed" "A conexão não foi autorizada"
        then "Begin the connection again, and allow it";
    InvalidUnsubscribeToken 400 "invalid_unsubscribe_token" "Link inválido"
        then "Unsubscribe by the address";
    IdempotencyKeyReused 422 "idempotency_key_reused" "A chave de idempotência já foi usada em outra requisição"
        when "The same `Idempotency-Key` came with another request within 24 hours"
        then "Take another key for another request";

    CardBadNumber 422 "card_bad_number" "Confira o número do cartão"
        then "Ask for it again";
    CardBadExpiryDate 422 "card_bad_expiry_date" "Confira a validade do cartão"
        then "Ask for it again";
    CardBadCvv 422 "card_bad_security_code" "Confira o código de segurança do cartão"
        then "Ask for it again";
    CardBadData 422 "card_bad_data" "Confira os dados do cartão"
        then "Ask for it again";
    CardCallForAuthorize 422 "card_call_for_authorize" "Autorize o pagamento junto ao banco emissor do cartão"
        then "Try again after that";
    CardDisabled 422 "card_disabled" "Ative o cartão junto ao banco emissor"
        then "Try again after that";
    CardInsufficientAmount 422 "card_insufficient_amount" "Saldo ou limite insuficiente"
        then "Offer PIX, or another card";
    CardInvalidInstallments 422 "card_invalid_installments" "O cartão não aceita esse número de parcelas"
        then "Offer fewer parts";
    CardDuplicatedPayment 422 "card_duplicated_payment" "Pagamento repetido. Confira se o pedido já foi pago"
        then "Look at the order before trying again";
    CardMaxAttempts 422 "card_max_attempts" "Limite de tentativas atingido. Use outro meio de pagamento"
        then "Offer PIX, or another card";
    CardAuthenticationRequired 422 "card_authentication_required" "O banco exige autenticação do cartão. Use outro meio de pagamento"
        then "Offer PIX, or a payment intent";
    CardHighRisk 422 "card_high_risk" "Pagamento recusado. Use outro meio de pagamento"
        then "Offer PIX, or another card";
    CardBlacklisted 422 "card_blacklisted" "Pagamento recusado. Use outro meio de pagamento"
        then "Offer PIX, or another card";
    CardError 422 "card_error" "Pagamento recusado. Use outro meio de pagamento"
        then "Offer PIX, or another card";
    CardRejected 422 "card_rejected" "Pagamento recusado. Use outro meio de pagamento"
        then "Offer PIX, or another card";
}
