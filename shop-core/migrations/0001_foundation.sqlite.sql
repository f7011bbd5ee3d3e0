-- Full-text search over active products, kept by triggers so that nobody can forget it. Names have
-- an index of their own: hits there come first, and one index of both would have to pass over all
-- the descriptions with a word to find the few names with it.
CREATE VIRTUAL TABLE product_search USING fts5 (
  name, description,
  content = 'product', content_rowid = 'pk',
  tokenize = "unicode61 remove_diacritics 2", prefix = '1 2 3'
);

CREATE VIRTUAL TABLE product_name_search USING fts5 (
  name,
  content = 'product', content_rowid = 'pk',
  tokenize = "unicode61 remove_diacritics 2", prefix = '1 2 3'
);

CREATE TRIGGER product_search_insert AFTER INSERT ON product WHEN new.active = 1 BEGIN
  INSERT INTO product_search (rowid, name, description)
  VALUES (new.pk, new.name, new.description);
  INSERT INTO product_name_search (rowid, name) VALUES (new.pk, new.name);
END;

CREATE TRIGGER product_search_delete AFTER DELETE ON product WHEN old.active = 1 BEGIN
  INSERT INTO product_search (product_search, rowid, name, description)
  VALUES ('delete', old.pk, old.name, old.description);
  INSERT INTO product_name_search (product_name_search, rowid, name)
  VALUES ('delete', old.pk, old.name);
END;

CREATE TRIGGER product_search_forget BEFORE UPDATE OF name, description, active ON product
WHEN old.active = 1 BEGIN
  INSERT INTO product_search (product_search, rowid, name, description)
  VALUES ('delete', old.pk, old.name, old.description);
  INSERT INTO product_name_search (product_name_search, rowid, name)
  VALUES ('delete', old.pk, old.name);
END;

CREATE TRIGGER product_search_learn AFTER UPDATE OF name, description, active ON product
WHEN new.active = 1 BEGIN
  INSERT INTO product_search (rowid, name, description)
  VALUES (new.pk, new.name, new.description);
  INSERT INTO product_name_search (rowid, name) VALUES (new.pk, new.name);
END;
