-- Rows of a shop at schema version 2, in columns that later versions have too.
INSERT INTO account (id, name, email, email_key, role, active, password_hash, sessions_from,
  created_at, updated_at)
VALUES
  ('ana', 'Ana Conceição', 'Ana@example.com', 'ana@example.com', 'CUSTOMER', 1, 'x', 0, 1, 1),
  ('bia', 'Bia', 'bia@example.com', 'bia@example.com', 'CUSTOMER', 0, 'x', 0, 2, 2),
  ('root', 'Loja', 'loja@example.com', 'loja@example.com', 'ADMIN', 1, 'x', 0, 0, 0);
INSERT INTO address (id, account_id, label, street, number, district, city, state, zip_code,
  is_default, created_at)
VALUES ('home', 'ana', 'Casa', 'Rua das Flores', '1', 'Centro', 'São Paulo', 'SP', '01001000', 1, 1);
INSERT INTO product (pk, id, name, slug, description, price, sku, active, review_count, rating_sum,
  created_at, updated_at)
VALUES (1, 'vela', 'Vela de Maçã', 'vela-de-maca', 'Cera de soja', 2990, 'V1', 1, 2, 8, 0, 0);
INSERT INTO sku (code, item_id) VALUES ('V1', 'vela');
INSERT INTO search_word (word) VALUES ('vela'), ('de'), ('maca'), ('cera'), ('soja');
INSERT INTO stock (item_id, product_pk, is_variant, quantity, sold) VALUES ('vela', 1, 0, 3, 3);
INSERT INTO review (id, product_id, account_id, rating, body, author, status, created_at)
VALUES ('r1', 'vela', 'ana', 5, 'Ótima', 'Ana', 'approved', 1),
  ('r2', 'vela', 'bia', 3, 'Boa', 'Bia', 'approved', 2);
INSERT INTO product_rating (product_id, three, five) VALUES ('vela', 1, 1);
INSERT INTO coupon (id, code, code_key, type, value, used_count, created_at)
VALUES ('c1', 'MENOS1', 'menos1', 'FIXED', 100, 1, 0);
INSERT INTO orders (id, number, account_id, address_id, address, subtotal, shipping, discount,
  total, coupon_id, status, cancelled_by, created_at, updated_at)
SELECT id, number, 'ana', 'home',
  '{"street":"Rua das Flores","number":"1","complement":null,"district":"Centro",
    "city":"São Paulo","state":"SP","zipCode":"01001000"}',
  subtotal, 0, discount, subtotal - discount, coupon, status, by, 1767279600000, 1767279600000
FROM (
  SELECT 'open' AS id, 'PED-20260101-0001' AS number, 2990 AS subtotal, 0 AS discount,
    NULL AS coupon, 'PENDING' AS status, NULL AS by
  UNION ALL SELECT 'paid', 'PED-20260101-0002', 5980 + 100, 100, 'c1', 'PROCESSING', NULL
  UNION ALL SELECT 'back', 'PED-20260101-0003', 2990, 0, NULL, 'REFUNDED', NULL
  UNION ALL SELECT 'late', 'PED-20260101-0004', 2990, 0, NULL, 'CANCELLED', 'SWEEPER'
);
INSERT INTO order_item (order_id, position, product_id, item_id, quantity, price, total, name,
  weight_grams)
VALUES ('open', 1, 'vela', 'vela', 1, 2990, 2990, 'Vela de Maçã', 300),
  ('paid', 1, 'vela', 'vela', 1, 2990, 2990, 'Vela de Maçã', 300),
  ('paid', 2, 'vela', 'vela', 1, 3090, 3090, 'Vela de Maçã', 300),
  ('back', 1, 'vela', 'vela', 1, 2990, 2990, 'Vela de Maçã', 300),
  ('late', 1, 'vela', 'vela', 1, 2990, 2990, 'Vela de Maçã', 300);
INSERT INTO coupon_use (order_id, coupon_id) VALUES ('paid', 'c1');
INSERT INTO order_day (day, last) VALUES ('20260101', 4);
INSERT INTO order_history (order_id, status, actor, created_at)
VALUES ('paid', 'PROCESSING', 'PAYMENT', 1), ('back', 'PROCESSING', 'PAYMENT', 1),
  ('back', 'REFUNDED', 'STAFF', 2), ('late', 'CANCELLED', 'SWEEPER', 2);
INSERT INTO stock_movement (item_id, delta, reason, source, reference, created_at)
VALUES ('vela', 6, 'ADJUSTMENT', 'ADMIN', NULL, 0), ('vela', -1, 'PURCHASE', 'ORDER', 'open', 1),
  ('vela', -2, 'PURCHASE', 'ORDER', 'paid', 1), ('vela', -1, 'PURCHASE', 'ORDER', 'back', 1),
  ('vela', 1, 'RETURN', 'ORDER', 'back', 2), ('vela', -1, 'PURCHASE', 'ORDER', 'late', 1),
  ('vela', 1, 'RETURN', 'ORDER', 'late', 2);
INSERT INTO payment (id, order_id, provider, method, status, amount, provider_payment_id,
  created_at, updated_at)
VALUES ('p1', 'open', 'provider1', 'PIX', 'PENDING', 2990, '1', 1, 1),
  ('p2', 'paid', 'provider1', 'PIX', 'PAID', 5980, '2', 1, 1),
  ('p3', 'back', 'provider1', 'PIX', 'REFUNDED', 2990, '3', 1, 1);
INSERT INTO event (name, payload, created_at) VALUES ('order.created', '{}', 1);
