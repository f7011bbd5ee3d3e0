-- What the back office asks of orders: lists by time, counters that spare it from counting, and what
-- sold on each day.

ALTER TABLE orders ADD COLUMN carrier TEXT;
ALTER TABLE order_history ADD COLUMN actor_id TEXT;   -- the admin's account, or the API key

CREATE INDEX orders_time ON orders (created_at, id);

-- The orders of each local day by the status that they have now, and what those that are neither
-- cancelled nor refunded come to. On the row that every order touches anyway, for its number.
ALTER TABLE order_day ADD COLUMN pending {int} NOT NULL DEFAULT 0;
ALTER TABLE order_day ADD COLUMN processing {int} NOT NULL DEFAULT 0;
ALTER TABLE order_day ADD COLUMN shipped {int} NOT NULL DEFAULT 0;
ALTER TABLE order_day ADD COLUMN delivered {int} NOT NULL DEFAULT 0;
ALTER TABLE order_day ADD COLUMN cancelled {int} NOT NULL DEFAULT 0;
ALTER TABLE order_day ADD COLUMN refunded {int} NOT NULL DEFAULT 0;
ALTER TABLE order_day ADD COLUMN revenue {int} NOT NULL DEFAULT 0;
-- Whether product_day has this day. It never has a day that is not over.
ALTER TABLE order_day ADD COLUMN summed {int} NOT NULL DEFAULT 0;

-- What sold on each local day, in orders that are neither cancelled nor refunded: written once the
-- day is over, and corrected by whatever is cancelled or revived after that.
CREATE TABLE product_day (
  day TEXT NOT NULL,
  product_id TEXT NOT NULL,
  name TEXT NOT NULL,                      -- of a line item, for products that are gone
  units {int} NOT NULL,
  revenue {int} NOT NULL,
  PRIMARY KEY (day, product_id)
) {end};
