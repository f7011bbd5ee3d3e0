-- Full-text search over active products, kept by triggers so that nobody can forget it.
CREATE VIRTUAL TABLE product_search USING fts5 (
  name, description,
  content = 'product', content_rowid = 'pk',
  tokenize = "unicode61 remove_diacritics 2", prefix = '1 2 3'
);

CREATE TRIGGER product_search_insert AFTER INSERT ON product WHEN new.active = 1 BEGIN
  INSERT INTO product_search (rowid, name, description)
  VALUES (new.pk, new.name, new.description);
END;

CREATE TRIGGER product_search_delete AFTER DELETE ON product WHEN old.active = 1 BEGIN
  INSERT INTO product_search (product_search, rowid, name, description)
  VALUES ('delete', old.pk, old.name, old.description);
END;

CREATE TRIGGER product_search_forget BEFORE UPDATE OF name, description, active ON product
WHEN old.active = 1 BEGIN
  INSERT INTO product_search (product_search, rowid, name, description)
  VALUES ('delete', old.pk, old.name, old.description);
END;

CREATE TRIGGER product_search_learn AFTER UPDATE OF name, description, active ON product
WHEN new.active = 1 BEGIN
  INSERT INTO product_search (rowid, name, description)
  VALUES (new.pk, new.name, new.description);
END;
