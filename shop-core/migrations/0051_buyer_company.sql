-- The company that an account buys for. `buys_to_resell` is 0 where it buys for its own use.
ALTER TABLE account ADD COLUMN cnpj TEXT;
ALTER TABLE account ADD COLUMN company_name TEXT;
ALTER TABLE account ADD COLUMN state_registration TEXT;
ALTER TABLE account ADD COLUMN buys_to_resell {int} NOT NULL DEFAULT 0;

-- Who bought, for the invoice, as it was when the order was placed: a CPF, or a company, in JSON.
ALTER TABLE orders ADD COLUMN buyer TEXT;
