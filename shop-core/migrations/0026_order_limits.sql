-- A customer's unpaid orders are counted with each order that is placed: by the index alone.
DROP INDEX orders_account;
CREATE INDEX orders_account ON orders (account_id, created_at, status);
