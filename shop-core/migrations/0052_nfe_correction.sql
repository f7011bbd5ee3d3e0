-- Correction letters of an invoice (carta de correção). Each is stored, signed, before it is
-- handed over; the number of one that was refused is free again.
CREATE TABLE nfe_correction (
  id TEXT PRIMARY KEY,
  nfe_id TEXT NOT NULL REFERENCES nfe (id),
  sequence {int} NOT NULL,                 -- its number among the invoice's correction letters, 1 to 20
  status TEXT NOT NULL CHECK (status IN ('SIGNED', 'REGISTERED', 'REJECTED')),
  text TEXT NOT NULL,
  xml TEXT NOT NULL,                       -- the signed event
  proc_xml TEXT,                           -- with the office's registration (procEventoNFe)
  protocol TEXT,
  answer_code {int},
  answer TEXT,
  tries {int} NOT NULL,
  due_at {int},                            -- when to ask the office again; null when all is settled
  registered_at {int},
  created_at {int} NOT NULL
) {end};
CREATE UNIQUE INDEX nfe_correction_sequence ON nfe_correction (nfe_id, sequence)
  WHERE status <> 'REJECTED';
CREATE INDEX nfe_correction_due ON nfe_correction (due_at) WHERE due_at IS NOT NULL;

-- The correction letters that the built-in sandbox, playing the tax office, knows.
CREATE TABLE sandbox_nfe_correction (
  access_key TEXT NOT NULL,
  sequence {int} NOT NULL,
  text TEXT NOT NULL,
  answer TEXT NOT NULL,                    -- retEvento
  created_at {int} NOT NULL,
  PRIMARY KEY (access_key, sequence)
) {end};
