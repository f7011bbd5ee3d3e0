-- What a label that waits for money would cost, and what there is for it.
ALTER TABLE shipment ADD COLUMN problem_price {int};
ALTER TABLE shipment ADD COLUMN problem_limit {int};
