-- Electronic invoices. `book` tells numbers apart that have nothing to do with each other:
-- SANDBOX, HOMOLOGATION and PRODUCTION.

-- The last number that was taken of each series.
CREATE TABLE nfe_series (
  book TEXT NOT NULL,
  cnpj TEXT NOT NULL,
  series {int} NOT NULL,
  last {int} NOT NULL,
  PRIMARY KEY (book, cnpj, series)
) {end};

-- An invoice: a number that was taken for an order, and what became of it. Never deleted.
CREATE TABLE nfe (
  id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders (id),
  book TEXT NOT NULL CHECK (book IN ('SANDBOX', 'HOMOLOGATION', 'PRODUCTION')),
  cnpj TEXT NOT NULL,
  series {int} NOT NULL,
  number {int} NOT NULL,
  code {int} NOT NULL,                     -- the random part of its key
  status TEXT NOT NULL CHECK (status IN ('NUMBERED', 'SIGNED', 'AUTHORIZED', 'REJECTED', 'DENIED',
    'CANCELLED', 'DISABLED', 'TAKEN')),
  attempt {int} NOT NULL,                  -- documents that were signed under this number
  access_key TEXT,                         -- of the latest document
  digest TEXT,                             -- which document that is
  total {int} NOT NULL,
  answer_code {int},                       -- the office's last word
  answer TEXT,
  protocol TEXT,                           -- the number of the authorisation's protocol
  proc_xml TEXT,                           -- the authorised invoice (nfeProc)
  cancel_xml TEXT,                         -- a signed cancellation that is under way
  cancel_proc_xml TEXT,                    -- the registered one (procEventoNFe)
  disable_proc_xml TEXT,                   -- why the number will have no invoice (ProcInutNFe)
  tries {int} NOT NULL,                    -- of the background work, since something was last sent
  due_at {int},                            -- when to ask the office again; null when all is settled
  issued_at {int} NOT NULL,
  authorized_at {int},
  cancelled_at {int},
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL,
  UNIQUE (book, cnpj, series, number)
) {end};
-- At most one invoice of an order is good or may become so.
CREATE UNIQUE INDEX nfe_live ON nfe (book, order_id)
  WHERE status IN ('NUMBERED', 'SIGNED', 'AUTHORIZED', 'REJECTED');
CREATE INDEX nfe_order ON nfe (order_id, created_at);
CREATE INDEX nfe_period ON nfe (book, issued_at, id);
CREATE INDEX nfe_status ON nfe (book, status, issued_at, id);
CREATE INDEX nfe_due ON nfe (due_at) WHERE due_at IS NOT NULL;

-- Every document that was signed, stored before it was handed over. A number whose document was
-- rejected gets another one.
CREATE TABLE nfe_document (
  digest TEXT PRIMARY KEY,                 -- what the office's protocol repeats
  nfe_id TEXT NOT NULL REFERENCES nfe (id),
  access_key TEXT NOT NULL,
  xml TEXT NOT NULL,
  issued_at {int} NOT NULL,
  created_at {int} NOT NULL
) {end};
CREATE INDEX nfe_document_nfe ON nfe_document (nfe_id, created_at);

-- What the tax office wants to know of a product; the shop's own settings where it says nothing.
CREATE TABLE product_fiscal (
  product_id TEXT PRIMARY KEY,
  ncm TEXT,
  cest TEXT,
  gtin TEXT,
  origin {int},
  csosn TEXT,
  unit TEXT,
  production TEXT CHECK (production IN ('OWN', 'RESALE')),
  updated_at {int} NOT NULL
) {end};

-- What the built-in sandbox, playing the tax office, knows.
CREATE TABLE sandbox_nfe (
  id {serial},
  number_key TEXT NOT NULL UNIQUE,         -- company, series and number
  access_key TEXT UNIQUE,                  -- null for a number that was made invalid
  digest TEXT,
  protocol TEXT,                           -- protNFe
  event TEXT,                              -- retEvento of the cancellation
  created_at {int} NOT NULL
) {end};
