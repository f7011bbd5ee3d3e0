-- The import of a file of products that is too long for one transaction: at most one at a time. Until it
-- is decided nothing of it is in the shop, and it ends with its process; a decided one is applied to its
-- end, whoever does it. While the row stands, nothing else changes the catalogue.
CREATE TABLE product_import (
  slot {int} PRIMARY KEY CHECK (slot = 1),
  id TEXT NOT NULL,
  actor TEXT NOT NULL,                     -- who imports, as the audit log says it
  actor_id TEXT,
  only_products TEXT,                      -- what was asked for
  keep_stock {int} NOT NULL,
  decided {int} NOT NULL,
  until {int} NOT NULL,                    -- from then on, who was at it counts as dead
  products {int} NOT NULL,                 -- what was written so far
  variants {int} NOT NULL,
  updated {int} NOT NULL,
  left_out TEXT NOT NULL                   -- JSON: the lines of products that could not be written
) {end};
-- Its rows, some products a piece, deleted as they are applied.
CREATE TABLE product_import_piece (
  import_id TEXT NOT NULL,
  line {int} NOT NULL,                     -- of its first product
  products TEXT NOT NULL,                  -- JSON: the cells of their rows
  PRIMARY KEY (import_id, line)
) {end};
