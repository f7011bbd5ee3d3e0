-- Who did what in the back office, written in the transaction of the deed.
CREATE TABLE audit (
  id {serial},
  actor TEXT NOT NULL CHECK (actor IN ('ADMIN', 'KEY', 'SYSTEM')),
  actor_id TEXT,                           -- the admin's account, or the API key
  action TEXT NOT NULL,                    -- 'product.update': a resource and what was done to it
  resource_id TEXT NOT NULL,
  old_values TEXT NOT NULL,                -- JSON: of the fields that changed, how they were
  new_values TEXT NOT NULL,                -- and how they are
  created_at {int} NOT NULL
) {end};
CREATE INDEX audit_resource ON audit (resource_id, id);
CREATE INDEX audit_actor ON audit (actor_id, id);
CREATE INDEX audit_action ON audit (action, id);
CREATE INDEX audit_time ON audit (created_at, id);
