-- A month's archive has what was registered in it of earlier invoices.
CREATE INDEX nfe_cancelled ON nfe (book, cancelled_at) WHERE cancelled_at IS NOT NULL;
CREATE INDEX nfe_disabled ON nfe (book, updated_at) WHERE status = 'DISABLED';
CREATE INDEX nfe_correction_registered ON nfe_correction (registered_at)
  WHERE registered_at IS NOT NULL;
