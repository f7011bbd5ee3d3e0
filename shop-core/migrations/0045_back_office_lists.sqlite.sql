-- Items of which few units are left, for statements that say so in the same words. An order of
-- anything else writes no page of it. PostgreSQL has no such index: any index of the quantity would
-- make it write every index of the table anew with each order.
CREATE INDEX stock_few ON stock (quantity, item_id, product_pk) WHERE quantity <= 20;
