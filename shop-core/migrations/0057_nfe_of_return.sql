-- A return names the invoices of its goods.
CREATE INDEX nfe_return_of ON nfe_return (return_id);
