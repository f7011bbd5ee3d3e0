//! What is wrong with values, in Brazilian Portuguese: the texts of the codes of
//! [`InvalidValue`], for answers over HTTP and for `shop-cli`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::Value;
use shop_core::error::FieldErrors;
use shop_core::value::InvalidValue;
use shop_core::webhook::DeliveryError;

/// The wrong fields of an input, each with the texts of what is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldTexts {
    /// Texts by the field's path (`cartItems[0].quantity`).
    pub field_errors: BTreeMap<String, Vec<Cow<'static, str>>>,
    /// Texts about the input as a whole.
    pub form_errors: Vec<Cow<'static, str>>,
}

impl FieldTexts {
    pub(crate) fn of(field: &str, text: &'static str) -> Self {
        let field_errors = BTreeMap::from([(field.to_owned(), vec![text.into()])]);
        Self { field_errors, ..Self::default() }
    }
}

impl From<&FieldErrors> for FieldTexts {
    fn from(wrong: &FieldErrors) -> Self {
        let texts = |values: &[InvalidValue]| values.iter().map(text).collect::<Vec<_>>();
        let fields = wrong.field_errors.iter();
        Self {
            field_errors: fields.map(|(field, values)| (field.clone(), texts(values))).collect(),
            form_errors: texts(&wrong.form_errors),
        }
    }
}

impl fmt::Display for FieldTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_field = |(field, texts): (&String, &Vec<Cow<'_, str>>)| {
            Cow::from(format!("{field}: {}", texts.join(", ")))
        };
        let fields = self.field_errors.iter().map(of_field);
        let all: Vec<_> = fields.chain(self.form_errors.iter().cloned()).collect();
        f.write_str(&all.join("; "))
    }
}

/// What is wrong with a value.
pub fn text(wrong: &InvalidValue) -> Cow<'static, str> {
    let Some(template) = template(wrong.code()) else { return wrong.to_string().into() };
    if !template.contains('{') {
        return template.into();
    }
    let values = serde_json::to_value(wrong).unwrap_or_default();
    let values = values.as_object().into_iter().flatten().filter(|(name, _)| *name != "code");
    let values: Vec<_> = values.map(|(name, value)| (name.as_str(), shown(value))).collect();
    filled(template, &values).into()
}

/// Why a webhook was not delivered.
pub(crate) fn delivery_error(error: &DeliveryError) -> String {
    match error {
        DeliveryError::Unreachable(why) => format!("não foi possível conectar ({why})"),
        DeliveryError::Timeout(seconds) => format!("sem resposta em {seconds} s"),
        DeliveryError::TooLarge => "resposta grande demais".to_owned(),
        DeliveryError::NotPublic => "o endereço não é público".to_owned(),
        DeliveryError::Unusable(why) => format!("endereço recusado ({why})"),
        DeliveryError::Redirect => "redirecionamentos não são seguidos".to_owned(),
        DeliveryError::Status(status) => format!("o destino respondeu {status}"),
        other => other.to_string(),
    }
}

/// A number is too small. Not every number of a schema is whole.
pub(crate) fn at_least(least: &Value) -> String {
    filled(template("at_least").unwrap_or_default(), &[("least", shown(least))])
}

/// A number is too large.
pub(crate) fn at_most(most: &Value) -> String {
    filled(template("at_most").unwrap_or_default(), &[("most", shown(most))])
}

/// An item of a stock report has an SKU that no product and no variant has.
pub(crate) fn unknown_sku(sku: &str) -> String {
    format!("SKU não encontrado: {sku}")
}

/// A value as Brazilians write it: numbers have a decimal comma.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string().replace('.', ","),
    }
}

/// The text with the values in its braces. The text in front of a bar is for one thing, the text
/// behind it for several; the first brace has their number.
fn filled(template: &str, values: &[(&str, String)]) -> String {
    let (one, several) = template.split_once('|').unwrap_or((template, template));
    let count =
        one.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map(|(name, _)| name);
    let is_one = values.iter().any(|(name, value)| Some(*name) == count && value == "1");
    let (mut text, mut rest) = (String::new(), if is_one { one } else { several });
    while let Some((before, (name, after))) =
        rest.split_once('{').and_then(|(before, it)| Some((before, it.split_once('}')?)))
    {
        text.push_str(before);
        let value = values.iter().find(|(known, _)| *known == name);
        text.push_str(value.map_or("", |(_, value)| value));
        rest = after;
    }
    text + rest
}

fn template(code: &str) -> Option<&'static str> {
    TEXTS.iter().find(|(known, _)| *known == code).map(|(_, text)| *text)
}

/// The text of each code; in braces the values.
const TEXTS: &[(&str, &str)] = &[
    ("already_used", "Já está em uso"),
    ("analytics_id", "Deve ter até 64 letras, números, '-', '_', '.' ou ':'"),
    ("at_least", "Deve ser maior ou igual a {least}"),
    ("at_most", "Deve ser menor ou igual a {most}"),
    ("between", "Deve ser de {least} a {most}"),
    (
        "buyer_registration",
        "A inscrição estadual tem de 2 a 14 dígitos; quem não tem deixa em branco",
    ),
    ("card_token", "Não é um token de cartão"),
    ("cart", "Carrinho inválido"),
    ("cart_full", "O carrinho está cheio"),
    ("category_of_import", "Categoria não encontrada; com category_name ela é criada"),
    (
        "cell_count",
        "Tem {found} célula em vez de {expected}|Tem {found} células em vez de {expected}",
    ),
    ("cep", "CEP inválido"),
    ("cest_required", "CSOSN 500 exige o CEST do produto"),
    ("cfop_of_consumers", "6107 e 6108 são de venda a quem não tem inscrição estadual"),
    (
        "cfop_of_regime",
        "O MEI vende com CSOSN 102 apenas nos CFOP 5102 e 6102, e não vende com 900",
    ),
    ("cfop_place", "Deve começar com {first}: CFOP 5 é de venda no estado e 6, para outro estado"),
    ("changed_during_import", "O arquivo ou a loja mudou durante a importação"),
    ("characters", "Contém caracteres inválidos"),
    ("choice", "Deve ter tipo e opção, por exemplo: Tamanho=200 g; Cor=Azul"),
    ("city_not_in_state", "A cidade não fica neste estado"),
    ("cnpj", "CNPJ inválido"),
    ("column_of_product", "Variantes não têm esta coluna"),
    ("cpf", "CPF inválido"),
    ("csosn", "CSOSN deve ser 102, 103, 300, 400, 500 ou 900"),
    ("csosn_of_contributors", "CSOSN 900 só para comprador com inscrição estadual"),
    ("csosn_of_regime", "O MEI só pode usar CSOSN 102, 300, 400 ou 900"),
    ("cursor", "Cursor inválido"),
    ("customer_cpf", "É necessário o CPF ou CNPJ do cliente: informe-o aqui ou no cadastro"),
    (
        "cut_off_row",
        "O arquivo acaba no meio desta linha, na célula {found} de {expected}; se ela está \
         completa, falta uma quebra de linha depois dela",
    ),
    ("date", "Deve ser uma data, como 2026-12-31"),
    ("digit_count", "Quantidade de dígitos incorreta"),
    ("email", "E-mail inválido"),
    ("etag", "Deve ser um ETag"),
    ("event_id", "Deve ser o id de um evento"),
    ("event_name", "Evento desconhecido"),
    ("facets", "Deve ser category, price ou inStock, separados por vírgula"),
    ("file_name", "Nome de arquivo inválido"),
    ("file_too_large", "O arquivo deve ter no máximo {most_mb} MB"),
    ("finer_than_cents", "Deve ter no máximo duas casas decimais"),
    ("fiscal_unit", "Unidade inválida: de 1 a 6 letras ou algarismos"),
    ("gtin", "GTIN inválido"),
    ("gtin_of_category", "GTIN é do produto; uma categoria não tem"),
    ("https_url", "Deve ser um endereço https"),
    ("idempotency_key", "Deve ter de 1 a 255 caracteres visíveis, sem espaços"),
    ("invoice_code", "O código numérico da chave não pode ser este"),
    ("invoice_company", "A venda foi faturada por outra empresa"),
    ("invoice_discount", "O desconto não pode passar do valor dos produtos"),
    ("invoice_key", "Chave de acesso inválida"),
    ("invoice_lines", "Uma NF-e tem de {least} a {most} itens"),
    ("invoice_number", "Série ou número fora do intervalo permitido"),
    ("invoice_text", "A nota fiscal não aceita nenhum destes caracteres"),
    ("item_count", "Deve ter de {least} a {most} itens"),
    ("length", "Deve ser de 0,1 a {most_cm} cm"),
    ("long_line", "Linha longa demais, ou aspas que não fecham: {line}"),
    ("max_characters", "Deve ter no máximo {most} caractere|Deve ter no máximo {most} caracteres"),
    ("max_items", "Deve ter no máximo {most} item|Deve ter no máximo {most} itens"),
    (
        "min_characters",
        "Deve ter no mínimo {least} caractere|Deve ter no mínimo {least} caracteres",
    ),
    ("min_items", "Deve ter no mínimo {least} item|Deve ter no mínimo {least} itens"),
    ("missing_column", "Falta a coluna {name}"),
    ("month", "Deve ser um mês, como 2026-11"),
    ("nameless_column", "A coluna {column} não tem nome e tem algo nesta linha"),
    (
        "ncm_required",
        "Falta o NCM do produto {product}: informe-o no produto, na categoria ou na configuração",
    ),
    ("no_option", "Deve ter ao menos uma opção"),
    ("no_product_above", "Não há um produto acima desta variante"),
    ("no_units", "Informe ao menos uma unidade"),
    ("not_a_boolean", "Deve ser true ou false"),
    ("not_a_number", "Deve ser um número"),
    ("not_above_tare", "Deve ser maior que o peso da caixa vazia"),
    ("not_an_object", "Deve ser um objeto"),
    ("not_csv", "Não é um arquivo CSV: linha {line}"),
    ("not_future", "Deve estar no futuro"),
    ("not_positive", "Deve ser maior que zero"),
    ("not_utf8", "Não está em UTF-8"),
    ("not_whole", "Deve ser um número inteiro"),
    ("one_buyer", "Informe CPF ou CNPJ, não os dois"),
    ("origin", "Deve ser uma origem, por exemplo https://loja.example"),
    ("other_product", "Não é o produto da linha acima"),
    ("out_of_range", "Valor fora do intervalo permitido"),
    ("own_cnpj", "É o CNPJ da própria loja"),
    ("payload", "Payload inválido"),
    ("picture_broken", "A imagem está corrompida ou incompleta"),
    ("picture_file", "Nenhuma imagem com este nome foi enviada"),
    ("picture_format", "Deve ser uma imagem JPEG, PNG, WebP ou GIF"),
    ("picture_too_costly", "A imagem é pesada demais. Reduza-a, ou salve-a como JPEG comum"),
    ("picture_too_large", "A imagem deve ter no máximo {most_megapixels} megapixels"),
    ("picture_url", "Deve ser um caminho que comece com / ou um endereço http(s)"),
    ("picture_width", "Deve ser uma destas larguras: {widths}"),
    ("product_kind", "A loja não vende produtos deste tipo"),
    ("production", "Deve ser own (produção própria) ou resale (revenda)"),
    ("public_url", "Deve ser um endereço público"),
    ("quoted_items", "Devem ser itens com quantidade, por exemplo id:2,id/variante:1"),
    ("repeated_column", "Coluna repetida: {name}"),
    ("repeated_in_file", "Já está em uma linha acima"),
    ("repeated_type", "Já há uma opção deste tipo"),
    ("required", "Campo obrigatório"),
    ("required_with", "Campo obrigatório quando há {other}"),
    ("return_lines", "Informe unidades da venda, cada item uma vez"),
    ("returned_units", "Unidades que ainda podem ser devolvidas: {most}"),
    ("said_by_return", "A devolução já diz isto"),
    ("shorter_than_inside", "Não pode ser menor que a medida interna"),
    (
        "sku_of_variant",
        "É o SKU de uma variante: informe as opções dela na coluna variant, abaixo da linha do produto",
    ),
    (
        "slug",
        "Deve ter de 2 a 120 caracteres: letras minúsculas sem acento, números, hífens e sublinhados",
    ),
    ("state", "UF inválida"),
    ("state_registration", "De 2 a 14 algarismos, ou ISENTO"),
    (
        "stock_of_product",
        "O estoque é contado em conjunto para todas as variantes: informe o de cada uma",
    ),
    ("too_large", "Deve ter no máximo {most_mib} MiB"),
    ("too_many_addresses", "Limite de {most} endereços atingido"),
    ("too_many_boxes", "Limite de {most} caixas atingido"),
    ("too_many_images", "Tem imagens demais"),
    ("too_many_products", "Deve ter no máximo {most} produtos diferentes"),
    ("too_many_tariffs", "Limite de {most} fretes atingido"),
    ("too_many_variants", "Mais de {most} variantes"),
    ("unknown_category", "Categoria não encontrada"),
    ("unknown_city", "Cidade não encontrada neste estado"),
    ("unknown_column", "Coluna desconhecida: {name}"),
    ("unknown_option", "Opção não encontrada"),
    ("unknown_order_item", "O pedido não tem este item"),
    ("unreadable", "{why}"),
    ("variant_exists", "Outra variante do produto tem estas opções"),
    ("webhook_secret", "Depois de `whsec_` deve vir base64"),
    ("webhook_url", "Deve ser um endereço https, por exemplo https://exemplo.com/x"),
    ("weight", "Deve ser de 0 a {most_kg} kg"),
    ("wishlist_full", "A lista de desejos está cheia"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_text_and_every_text_a_code() {
        let known: Vec<&str> = TEXTS.iter().map(|(code, _)| *code).collect();
        let mut codes = InvalidValue::CODES.to_vec();
        codes.sort_unstable();
        assert_eq!(known, codes);
    }

    #[test]
    fn one_is_singular() {
        let told = |wrong| text(&wrong).into_owned();
        assert_eq!(told(InvalidValue::MinItems { least: 1 }), "Deve ter no mínimo 1 item");
        assert_eq!(told(InvalidValue::MaxItems { most: 2 }), "Deve ter no máximo 2 itens");
        let characters = InvalidValue::MinCharacters { least: 1 };
        assert_eq!(told(characters), "Deve ter no mínimo 1 caractere");
        let characters = InvalidValue::MaxCharacters { most: 0 };
        assert_eq!(told(characters), "Deve ter no máximo 0 caracteres");
        let cells = InvalidValue::CellCount { found: 1, expected: 14 };
        assert_eq!(told(cells), "Tem 1 célula em vez de 14");
    }

    #[test]
    fn numbers_have_a_decimal_comma_and_texts_stay() {
        assert_eq!(at_least(&serde_json::json!(0.5)), "Deve ser maior ou igual a 0,5");
        assert_eq!(at_most(&serde_json::json!(100)), "Deve ser menor ou igual a 100");
        let column = InvalidValue::UnknownColumn { name: "a.{name}".to_owned() };
        assert_eq!(text(&column), "Coluna desconhecida: a.{name}");
    }
}
