-- What an order of two items reads and writes, as a program without a shop around it would do it.
-- Variables: account, payload, products (how many there are), counted (whether the day's counter is kept).
\set first random(1, :products - 1)
\set second :first + 1
BEGIN;
SELECT id AS one, name AS one_name, price AS one_price, active, weight_grams, images FROM product WHERE pk = :first \gset
SELECT id AS two, name AS two_name, price AS two_price, active, weight_grams, images FROM product WHERE pk = :second \gset
SELECT gen_random_uuid() AS id \gset
UPDATE stock SET quantity = quantity - 1, sold = sold + 1, order_lines = order_lines + 1 WHERE item_id = :one AND quantity >= 1;
INSERT INTO stock_movement (item_id, delta, reason, source, reference, created_at) VALUES (:one, -1, 'PURCHASE', 'ORDER', :id, 1);
UPDATE stock SET quantity = quantity - 1, sold = sold + 1, order_lines = order_lines + 1 WHERE item_id = :two AND quantity >= 1;
INSERT INTO stock_movement (item_id, delta, reason, source, reference, created_at) VALUES (:two, -1, 'PURCHASE', 'ORDER', :id, 1);
\if :counted
UPDATE order_day SET last = last + 1, pending = pending + 1 WHERE day = 'pgbench';
SELECT last FROM order_day WHERE day = 'pgbench';
\endif
INSERT INTO orders (id, number, account_id, address_id, address, subtotal, shipping, discount, total, status, created_at, updated_at) VALUES (:id, :id, :account, :id, left(:payload, 200), 1, 1, 0, 2, 'PENDING', 1, 1);
INSERT INTO order_item (order_id, position, product_id, item_id, quantity, price, total, name, weight_grams) VALUES (:id, 1, :one, :one, 1, 1, 1, :one_name, 300);
INSERT INTO order_item (order_id, position, product_id, item_id, quantity, price, total, name, weight_grams) VALUES (:id, 2, :two, :two, 1, 1, 1, :two_name, 300);
INSERT INTO event (name, payload, created_at) VALUES ('order.created', :payload, 1);
INSERT INTO event (name, payload, created_at) VALUES ('stock.updated', left(:payload, 200), 1);
INSERT INTO mail (id, kind, recipient, letter, created_at, next_try_at) VALUES (:id, 'order', 'ana@example.com', left(:payload, 600), 1, 1);
COMMIT;
