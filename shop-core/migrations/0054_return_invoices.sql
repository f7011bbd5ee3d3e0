-- Invoices of goods that come back. An order has one live invoice of its sale, and as many of returns
-- as there are returns.
ALTER TABLE nfe ADD COLUMN kind TEXT NOT NULL DEFAULT 'SALE' CHECK (kind IN ('SALE', 'RETURN'));

DROP INDEX nfe_live;
-- At most one invoice of an order's sale is good or may become so.
CREATE UNIQUE INDEX nfe_live ON nfe (book, order_id)
  WHERE kind = 'SALE' AND status IN ('NUMBERED', 'SIGNED', 'AUTHORIZED', 'REJECTED');

-- What an invoice of a return says beside its number; fixed when the number is taken.
CREATE TABLE nfe_return (
  nfe_id TEXT PRIMARY KEY REFERENCES nfe (id),
  sale_id TEXT NOT NULL REFERENCES nfe (id),
  return_id TEXT,                          -- the customer's return that it belongs to, where one is kept
  ground TEXT NOT NULL CHECK (ground IN ('WITHDRAWAL', 'DEFECT', 'AGREEMENT')),
  reason TEXT,
  shipping {int} NOT NULL                  -- what of the sale's freight goes back
) {end};
CREATE INDEX nfe_return_sale ON nfe_return (sale_id);

-- The units that come back, with what of their line's discount belongs to them.
CREATE TABLE nfe_return_item (
  nfe_id TEXT NOT NULL REFERENCES nfe_return (nfe_id),
  order_item_id TEXT NOT NULL,
  quantity {int} NOT NULL CHECK (quantity > 0),
  discount {int} NOT NULL,
  PRIMARY KEY (nfe_id, order_item_id)
) {end};
