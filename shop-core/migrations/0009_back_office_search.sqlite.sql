-- Full-text search over customers, kept by triggers so that nobody can forget it. It only holds
-- words, not texts; `state` is a word too, so that the suspended ones are found without looking at
-- all. What is taken out is overwritten at once: an erased person must not be found in the file.
CREATE VIRTUAL TABLE customer_search USING fts5 (
  name, email, state,
  content = '', detail = column,
  tokenize = "unicode61 remove_diacritics 2", prefix = '1 2 3'
);
INSERT INTO customer_search (customer_search, rank) VALUES ('secure-delete', 1);

INSERT INTO customer_search (rowid, name, email, state)
SELECT e.pk, a.name, a.email, CASE a.active WHEN 1 THEN 'active' ELSE 'suspended' END
FROM customer_entry e JOIN account a ON a.id = e.account_id;

CREATE TRIGGER customer_search_insert AFTER INSERT ON account WHEN new.role = 'CUSTOMER' BEGIN
  INSERT INTO customer_entry (account_id) VALUES (new.id);
  INSERT INTO customer_search (rowid, name, email, state)
  SELECT pk, new.name, new.email, CASE new.active WHEN 1 THEN 'active' ELSE 'suspended' END
  FROM customer_entry WHERE account_id = new.id;
END;

CREATE TRIGGER customer_tally_insert AFTER INSERT ON account WHEN new.role = 'CUSTOMER' BEGIN
  UPDATE customer_tally SET customers = customers + 1 WHERE active = new.active;
END;

CREATE TRIGGER customer_tally_update AFTER UPDATE OF active ON account
WHEN new.role = 'CUSTOMER' AND old.active <> new.active
BEGIN
  UPDATE customer_tally SET customers = customers + 1 WHERE active = new.active;
  UPDATE customer_tally SET customers = customers - 1 WHERE active = old.active;
END;

CREATE TRIGGER customer_search_update AFTER UPDATE OF name, email, active ON account
WHEN new.role = 'CUSTOMER'
  AND (old.name <> new.name OR old.email <> new.email OR old.active <> new.active)
BEGIN
  INSERT INTO customer_search (customer_search, rowid, name, email, state)
  SELECT 'delete', pk, old.name, old.email,
    CASE old.active WHEN 1 THEN 'active' ELSE 'suspended' END
  FROM customer_entry WHERE account_id = new.id;
  INSERT INTO customer_search (rowid, name, email, state)
  SELECT pk, new.name, new.email, CASE new.active WHEN 1 THEN 'active' ELSE 'suspended' END
  FROM customer_entry WHERE account_id = new.id;
END;
