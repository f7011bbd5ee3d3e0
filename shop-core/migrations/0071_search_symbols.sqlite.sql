-- The full-text indexes made anew. Their tokenizer knows Unicode 6.1, and takes every later character
-- for a letter: a word that touches an emoji could not be found. `{symbols}` are those that are none,
-- `{letters}` the letters in circles and squares, which it takes for symbols.
DROP TABLE product_search;
CREATE VIRTUAL TABLE product_search USING fts5 (
  name, description,
  content = 'product', content_rowid = 'pk',
  tokenize = "unicode61 remove_diacritics 2 separators '{symbols}' tokenchars '{letters}'",
  prefix = '1 2 3'
);
INSERT INTO product_search (rowid, name, description)
SELECT pk, name, description FROM product WHERE active = 1;

DROP TABLE product_name_search;
CREATE VIRTUAL TABLE product_name_search USING fts5 (
  name,
  content = 'product', content_rowid = 'pk',
  tokenize = "unicode61 remove_diacritics 2 separators '{symbols}' tokenchars '{letters}'",
  prefix = '1 2 3'
);
INSERT INTO product_name_search (rowid, name) SELECT pk, name FROM product WHERE active = 1;

DROP TABLE product_any_name_search;
CREATE VIRTUAL TABLE product_any_name_search USING fts5 (
  name,
  content = 'product', content_rowid = 'pk',
  tokenize = "unicode61 remove_diacritics 2 separators '{symbols}' tokenchars '{letters}'",
  prefix = '1 2 3'
);
INSERT INTO product_any_name_search (rowid, name) SELECT pk, name FROM product;

DROP TABLE customer_search;
CREATE VIRTUAL TABLE customer_search USING fts5 (
  name, email, state,
  content = '', detail = column,
  tokenize = "unicode61 remove_diacritics 2 separators '{symbols}' tokenchars '{letters}'",
  prefix = '1 2 3'
);
INSERT INTO customer_search (customer_search, rank) VALUES ('secure-delete', 1);
INSERT INTO customer_search (rowid, name, email, state)
SELECT e.pk, a.name, a.email, CASE a.active WHEN 1 THEN 'active' ELSE 'suspended' END
FROM customer_entry e JOIN account a ON a.id = e.account_id;
