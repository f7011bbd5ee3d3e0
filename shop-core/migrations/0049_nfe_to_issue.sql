-- Orders whose invoice is to be issued without being asked for, each until it is authorised or not
-- wanted any more. What stands in the way of one waits for staff, and is looked at again.
CREATE TABLE nfe_to_issue (
  order_id TEXT PRIMARY KEY REFERENCES orders (id),
  wanted_at {int} NOT NULL,
  due_at {int} NOT NULL,                   -- when to try, or to look again
  tries {int} NOT NULL,                    -- without an answer, since the last one
  problem TEXT,                            -- why there is no invoice, in words for staff
  content TEXT                             -- the digest of what an invoice would have said then
) {end};
CREATE INDEX nfe_to_issue_due ON nfe_to_issue (due_at);
CREATE INDEX nfe_to_issue_problem ON nfe_to_issue (wanted_at, order_id, problem)
  WHERE problem IS NOT NULL;
