-- Goods that come back.

-- Of a line's units: how many are part of a return that was neither rejected nor cancelled; and how
-- many are on the shelf again because the order was closed, which are those that it takes once more
-- when it comes back to life.
ALTER TABLE order_item ADD COLUMN returned {int} NOT NULL DEFAULT 0
  CHECK (returned >= 0 AND returned <= quantity);
ALTER TABLE order_item ADD COLUMN shelved {int} NOT NULL DEFAULT 0
  CHECK (shelved >= 0 AND shelved <= quantity);
UPDATE order_item SET shelved = quantity WHERE order_id IN (
  SELECT id FROM orders WHERE status IN ('CANCELLED', 'REFUNDED'));

CREATE TABLE order_return (
  id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders (id),
  order_number TEXT NOT NULL,              -- the order's, which never changes
  account_id TEXT NOT NULL REFERENCES account (id),
  protocol TEXT NOT NULL UNIQUE,           -- <order number>-D<n>, n from 1
  kind TEXT NOT NULL CHECK (kind IN ('WITHDRAWAL', 'DEFECT')),
  status TEXT NOT NULL CHECK (status IN
    ('REQUESTED', 'APPROVED', 'IN_TRANSIT', 'RECEIVED', 'REFUNDED', 'REJECTED', 'CANCELLED')),
  courtesy {int} NOT NULL,                 -- opened by staff after its term had ended
  reason TEXT,                             -- in the customer's words
  rejection TEXT,                          -- in the words of staff
  delivered_at {int},                      -- as it was known when it was opened
  term_ends_at {int},                      -- the first instant after the term
  tracking_code TEXT,
  carrier TEXT,
  freight {int} NOT NULL DEFAULT 0 CHECK (freight >= 0),  -- of what the customer paid to have it sent
  refund_status TEXT NOT NULL CHECK (refund_status IN ('NONE', 'PENDING', 'FAILED', 'DONE')),
  refund_id TEXT,
  refund_amount {int},
  received_at {int},
  refunded_at {int},
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL
) {end};
CREATE INDEX order_return_order ON order_return (order_id, created_at);
CREATE INDEX order_return_account ON order_return (account_id, created_at);
CREATE INDEX order_return_time ON order_return (created_at, id);
CREATE INDEX order_return_status ON order_return (status, created_at, id);

CREATE TABLE order_return_item (
  return_id TEXT NOT NULL REFERENCES order_return (id),
  position {int} NOT NULL,                 -- of the line within its order
  name TEXT NOT NULL,                      -- as the order has it
  variant TEXT,
  quantity {int} NOT NULL CHECK (quantity >= 1),
  received {int} CHECK (received >= 0 AND received <= quantity),
  released {int} NOT NULL DEFAULT 0 CHECK (released >= 0 AND released <= quantity),
  restocked {int} NOT NULL DEFAULT 0 CHECK (restocked >= 0 AND restocked <= coalesce(received, 0)),
  amount {int} NOT NULL CHECK (amount >= 0),  -- what these units were paid, after discounts
  PRIMARY KEY (return_id, position)
) {end};

-- Every status a return has had, and who set it.
CREATE TABLE order_return_history (
  id {serial},
  return_id TEXT NOT NULL REFERENCES order_return (id),
  status TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_id TEXT,
  note TEXT,
  created_at {int} NOT NULL
) {end};
CREATE INDEX order_return_history_return ON order_return_history (return_id);
