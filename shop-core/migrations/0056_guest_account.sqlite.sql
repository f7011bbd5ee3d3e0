-- An account that is deleted leaves the search and the count of customers.
CREATE TRIGGER customer_delete BEFORE DELETE ON account WHEN old.role = 'CUSTOMER' BEGIN
  INSERT INTO customer_search (customer_search, rowid, name, email, state)
  SELECT 'delete', pk, old.name, old.email,
    CASE old.active WHEN 1 THEN 'active' ELSE 'suspended' END
  FROM customer_entry WHERE account_id = old.id;
  DELETE FROM customer_entry WHERE account_id = old.id;
  UPDATE customer_tally SET customers = customers - 1 WHERE active = old.active;
END;
