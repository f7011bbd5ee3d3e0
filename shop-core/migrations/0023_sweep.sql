-- When the sweeper last tried in vain to cancel an unpaid order: the others come first then. 0 where
-- it never did.
ALTER TABLE orders ADD COLUMN sweep_tried_at {int} NOT NULL DEFAULT 0;
