-- The names of all products, on sale or not, for the back office.
CREATE VIRTUAL TABLE product_any_name_search USING fts5 (
  name,
  content = 'product', content_rowid = 'pk',
  tokenize = "unicode61 remove_diacritics 2", prefix = '1 2 3'
);
INSERT INTO product_any_name_search (product_any_name_search) VALUES ('rebuild');

CREATE TRIGGER product_any_name_insert AFTER INSERT ON product BEGIN
  INSERT INTO product_any_name_search (rowid, name) VALUES (new.pk, new.name);
END;

CREATE TRIGGER product_any_name_delete AFTER DELETE ON product BEGIN
  INSERT INTO product_any_name_search (product_any_name_search, rowid, name)
  VALUES ('delete', old.pk, old.name);
END;

CREATE TRIGGER product_any_name_update AFTER UPDATE OF name ON product
WHEN old.name <> new.name BEGIN
  INSERT INTO product_any_name_search (product_any_name_search, rowid, name)
  VALUES ('delete', old.pk, old.name);
  INSERT INTO product_any_name_search (rowid, name) VALUES (new.pk, new.name);
END;
