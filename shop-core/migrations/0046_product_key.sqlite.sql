-- Products by their own key, for deep pages: SQLite keeps the rows themselves under it, which are
-- wide to pass over.
CREATE INDEX product_key ON product (pk);
