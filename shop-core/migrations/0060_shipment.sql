-- Parcels on their way: their labels, bought from a provider step by step, and what carriers say.
CREATE TABLE shipment (
  id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders (id),
  order_number TEXT NOT NULL,              -- the order's, which never changes
  parcel {int} NOT NULL CHECK (parcel >= 1),
  status TEXT NOT NULL CHECK (status IN
    ('DRAFT', 'IN_CART', 'PAYING', 'PAID', 'GENERATED', 'POSTED', 'RETURNING', 'DELIVERED',
     'CANCELLING', 'CANCELLED', 'EXPIRED', 'FAILED')),
  provider TEXT NOT NULL,
  label_id TEXT,                           -- the provider's; stored before it is paid
  reference TEXT NOT NULL UNIQUE,          -- by which the label of a lost answer is found
  service TEXT NOT NULL,                   -- the provider's number of it
  service_name TEXT,
  price {int} CHECK (price >= 0),          -- what the provider takes
  quoted_price {int},                      -- the parcel's share of what the customer was quoted
  allowed_price {int},                     -- the parcel's share of what may be paid; NULL is no bound
  price_accepted {int} NOT NULL DEFAULT 0,
  declared_value {int} NOT NULL,
  content TEXT NOT NULL,                   -- JSON: sides, weight and goods
  tracking_code TEXT,
  tracking_url TEXT,
  delivery_days {int},                     -- working days, by the provider
  expected_at {int},
  problem TEXT,
  problem_text TEXT,                       -- in the provider's words
  attempts {int} NOT NULL DEFAULT 0,       -- calls since the last one that brought it forward
  check_at {int},                          -- when to go on with it or to ask about it; NULL is never
  paying_at {int},                         -- when it was last about to be paid
  paid_at {int},
  generated_at {int},
  posted_at {int},
  delivered_at {int},
  cancelled_at {int},
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL
) {end};
-- A parcel of an order has one label at most that is not given up.
CREATE UNIQUE INDEX shipment_live ON shipment (order_id, parcel)
  WHERE status NOT IN ('CANCELLED', 'EXPIRED', 'FAILED');
CREATE INDEX shipment_order ON shipment (order_id, parcel, created_at);
CREATE INDEX shipment_status ON shipment (status, created_at, id);
CREATE INDEX shipment_time ON shipment (created_at, id);
CREATE INDEX shipment_label ON shipment (label_id) WHERE label_id IS NOT NULL;
CREATE INDEX shipment_check ON shipment (check_at) WHERE check_at IS NOT NULL;

-- What happened to a parcel, as its customer reads it.
CREATE TABLE shipment_step (
  id {serial},
  shipment_id TEXT NOT NULL REFERENCES shipment (id),
  at {int} NOT NULL,
  kind TEXT NOT NULL,
  description TEXT,
  place TEXT,
  UNIQUE (shipment_id, kind, at)
) {end};

-- The option that the order's customer chose, and what it was quoted for before any free shipping.
ALTER TABLE order_packing ADD COLUMN option_id TEXT;
ALTER TABLE order_packing ADD COLUMN quoted_price {int};
