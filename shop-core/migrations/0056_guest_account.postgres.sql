-- An account that is deleted leaves the search and the count of customers; its entry takes the search
-- along.
CREATE FUNCTION customer_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM customer_entry WHERE account_id = old.id;
  UPDATE customer_tally SET customers = customers - 1 WHERE customer_tally.active = old.active;
  RETURN old;
END
$$;

CREATE TRIGGER customer_delete BEFORE DELETE ON account
FOR EACH ROW WHEN (old.role = 'CUSTOMER') EXECUTE FUNCTION customer_delete();
