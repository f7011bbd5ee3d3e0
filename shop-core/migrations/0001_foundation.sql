-- The shop's schema. {int}, {serial} and {end} are filled in by the engine.
-- Money is in cents, times in milliseconds since 1970-01-01 UTC, booleans are 0 and 1.

-- Facts about the shop as a whole: generated secrets, settings.
CREATE TABLE setting (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at {int} NOT NULL
) {end};

CREATE TABLE account (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL UNIQUE,          -- lower case: how addresses are compared
  phone TEXT,
  cpf TEXT,
  role TEXT NOT NULL CHECK (role IN ('CUSTOMER', 'ADMIN')),
  active {int} NOT NULL DEFAULT 1,
  password_hash TEXT NOT NULL,
  sessions_from {int} NOT NULL,            -- seconds: sessions issued before are over
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL
) {end};
CREATE INDEX account_new ON account (role, created_at);

CREATE TABLE address (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  label TEXT NOT NULL,
  street TEXT NOT NULL,
  number TEXT NOT NULL,
  complement TEXT,
  district TEXT NOT NULL,
  city TEXT NOT NULL,
  state TEXT NOT NULL,
  zip_code TEXT NOT NULL,
  is_default {int} NOT NULL DEFAULT 0,
  created_at {int} NOT NULL
) {end};
CREATE INDEX address_account ON address (account_id, created_at);

CREATE TABLE category (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  description TEXT,
  image TEXT,
  active {int} NOT NULL DEFAULT 1,
  created_at {int} NOT NULL
) {end};

-- pk orders products by when they came and names them to the search index.
CREATE TABLE product (
  pk {serial},
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  price {int} NOT NULL CHECK (price >= 0),
  compare_price {int},
  sku TEXT,
  weight_grams {int},
  featured {int} NOT NULL DEFAULT 0,
  active {int} NOT NULL DEFAULT 1,
  category_id TEXT REFERENCES category (id),
  images TEXT NOT NULL DEFAULT '[]',       -- JSON, so that a list row carries its pictures
  review_count {int} NOT NULL DEFAULT 0,   -- of approved reviews, kept with each review's change
  rating_sum {int} NOT NULL DEFAULT 0,
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL
) {end};
CREATE INDEX product_new ON product (active, pk);
CREATE INDEX product_price ON product (active, price, pk);
CREATE INDEX product_category_new ON product (category_id, active, pk);
CREATE INDEX product_category_price ON product (category_id, active, price, pk);
CREATE INDEX product_featured ON product (featured, active, pk);

CREATE TABLE variant_type (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  position {int} NOT NULL DEFAULT 0
) {end};

CREATE TABLE variant_option (
  id TEXT PRIMARY KEY,
  variant_type_id TEXT NOT NULL REFERENCES variant_type (id),
  value TEXT NOT NULL,
  position {int} NOT NULL DEFAULT 0,
  UNIQUE (variant_type_id, value)
) {end};

CREATE TABLE variant (
  id TEXT PRIMARY KEY,
  product_id TEXT NOT NULL REFERENCES product (id),
  price {int} NOT NULL CHECK (price >= 0),
  compare_price {int},
  sku TEXT,
  position {int} NOT NULL DEFAULT 0,
  created_at {int} NOT NULL
) {end};
CREATE INDEX variant_product ON variant (product_id, position);

CREATE TABLE variant_value (
  variant_id TEXT NOT NULL REFERENCES variant (id),
  variant_option_id TEXT NOT NULL REFERENCES variant_option (id),
  PRIMARY KEY (variant_id, variant_option_id)
) {end};
CREATE INDEX variant_value_option ON variant_value (variant_option_id);

-- One namespace of SKUs for products and variants; item_id is the id of either.
CREATE TABLE sku (
  code TEXT PRIMARY KEY,
  item_id TEXT NOT NULL UNIQUE
) {end};

-- Units of a product or of a variant, on rows of their own and narrow: an order touches them, and
-- must touch few pages. `sold` of a product counts its variants' units too.
CREATE TABLE stock (
  item_id TEXT PRIMARY KEY,                -- the variant's id, or the product's own
  product_pk {int} NOT NULL,
  is_variant {int} NOT NULL,
  quantity {int} NOT NULL CHECK (quantity >= 0),
  sold {int} NOT NULL DEFAULT 0
) {end};

-- The ledger: the deltas of an item always sum to its stock.
CREATE TABLE stock_movement (
  id {serial},
  item_id TEXT NOT NULL,
  delta {int} NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('PURCHASE', 'ADJUSTMENT', 'RETURN')),
  source TEXT NOT NULL,
  reference TEXT,                          -- the order, where there is one
  created_at {int} NOT NULL
) {end};
CREATE INDEX stock_movement_item ON stock_movement (item_id, id);

CREATE TABLE review (
  id TEXT PRIMARY KEY,
  product_id TEXT NOT NULL REFERENCES product (id),
  account_id TEXT NOT NULL REFERENCES account (id),
  rating {int} NOT NULL CHECK (rating BETWEEN 1 AND 5),
  title TEXT,
  body TEXT NOT NULL,
  author TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected')),
  created_at {int} NOT NULL
) {end};
CREATE INDEX review_product ON review (product_id, status, created_at);

CREATE TABLE cart_item (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,                     -- the account's id
  product_id TEXT NOT NULL,
  variant_id TEXT,
  item_id TEXT NOT NULL,                   -- the variant's id, or the product's own
  quantity {int} NOT NULL CHECK (quantity >= 1),
  created_at {int} NOT NULL,
  UNIQUE (owner, item_id)
) {end};

CREATE TABLE orders (
  id TEXT PRIMARY KEY,
  number TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES account (id),
  address_id TEXT NOT NULL,
  address TEXT NOT NULL,                   -- JSON, as it was when the order was placed
  subtotal {int} NOT NULL,
  shipping {int} NOT NULL,
  discount {int} NOT NULL,
  total {int} NOT NULL CHECK (total >= 0),
  shipping_service TEXT,
  coupon_id TEXT,
  status TEXT NOT NULL CHECK (status IN
    ('PENDING', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'REFUNDED')),
  cancelled_by TEXT CHECK (cancelled_by IN ('SWEEPER', 'STAFF')),
  notes TEXT,
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL
) {end};
CREATE INDEX orders_account ON orders (account_id, created_at);
CREATE INDEX orders_status ON orders (status, created_at);

CREATE TABLE order_item (
  order_id TEXT NOT NULL REFERENCES orders (id),
  position {int} NOT NULL,                 -- within the order, from 1
  product_id TEXT NOT NULL,
  variant_id TEXT,
  item_id TEXT NOT NULL,
  quantity {int} NOT NULL CHECK (quantity >= 1),
  price {int} NOT NULL,
  total {int} NOT NULL,
  name TEXT NOT NULL,                      -- the product's name when it was bought
  variant TEXT,                            -- the variant's values, e.g. "200 g"
  image TEXT,
  weight_grams {int} NOT NULL,
  PRIMARY KEY (order_id, position)
) {end};

-- The last order number of each local day.
CREATE TABLE order_day (
  day TEXT PRIMARY KEY,
  last {int} NOT NULL
) {end};

-- Every status an order has had, and who set it.
CREATE TABLE order_history (
  id {serial},
  order_id TEXT NOT NULL REFERENCES orders (id),
  status TEXT NOT NULL,
  actor TEXT NOT NULL,
  note TEXT,
  created_at {int} NOT NULL
) {end};
CREATE INDEX order_history_order ON order_history (order_id);

-- What staff, or the shop itself, wrote about an order; never shown to the customer.
CREATE TABLE order_note (
  id {serial},
  order_id TEXT NOT NULL REFERENCES orders (id),
  author TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at {int} NOT NULL
) {end};
CREATE INDEX order_note_order ON order_note (order_id);

-- One attempt to pay an order. The row, with its idempotency key, is there before the provider
-- is called.
CREATE TABLE payment (
  id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders (id),
  provider TEXT NOT NULL,
  method TEXT NOT NULL CHECK (method IN ('PIX', 'CREDIT_CARD', 'PAYMENT_INTENT')),
  status TEXT NOT NULL CHECK (status IN
    ('PENDING', 'PAID', 'FAILED', 'EXPIRED', 'CANCELLED', 'REFUNDED', 'CHARGED_BACK', 'REVIEW')),
  amount {int} NOT NULL,
  provider_payment_id TEXT,
  pix_code TEXT,
  expires_at {int},
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL,
  UNIQUE (provider, provider_payment_id)
) {end};
CREATE INDEX payment_order ON payment (order_id, created_at);
-- At most one PIX code of an order waits to be paid, however many ask at once.
CREATE UNIQUE INDEX payment_open_pix ON payment (order_id)
  WHERE method = 'PIX' AND status = 'PENDING';

-- What the built-in sandbox, playing a payment provider, knows of its payments.
CREATE TABLE sandbox_payment (
  id {serial},
  idempotency_key TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  amount {int} NOT NULL,
  reference TEXT NOT NULL,
  pix_code TEXT NOT NULL,
  expires_at {int} NOT NULL,
  created_at {int} NOT NULL
) {end};

-- First answers to requests that may be repeated, written in the transaction of their effect.
CREATE TABLE idempotency (
  scope TEXT NOT NULL,                     -- who did what
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,               -- SHA-256 of the request
  answer TEXT NOT NULL,                    -- JSON
  created_at {int} NOT NULL,
  PRIMARY KEY (scope, key)
) {end};
CREATE INDEX idempotency_age ON idempotency (created_at);

CREATE TABLE notification (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  type TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  link TEXT,
  read {int} NOT NULL DEFAULT 0,
  created_at {int} NOT NULL
) {end};
CREATE INDEX notification_account ON notification (account_id, created_at);

-- The outbox: what happened, written in the transaction in which it happened.
CREATE TABLE event (
  id {serial},
  name TEXT NOT NULL,
  payload TEXT NOT NULL,                   -- JSON
  created_at {int} NOT NULL
) {end};

CREATE TABLE shipping_tariff (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  states TEXT NOT NULL,                    -- ",SP,RJ,"
  price {int} NOT NULL CHECK (price >= 0),
  estimated_days {int} NOT NULL,
  created_at {int} NOT NULL
) {end};

-- The words of the catalogue: every word of an active product must be here, since searches look up
-- here which words begin as the shopper's do (a word that no product has any more does no harm);
-- and their trigrams, by which a misspelt word finds its neighbour.
CREATE TABLE search_word (
  word TEXT PRIMARY KEY
) {end};
CREATE TABLE search_trigram (
  trigram TEXT NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (trigram, word)
) {end};
