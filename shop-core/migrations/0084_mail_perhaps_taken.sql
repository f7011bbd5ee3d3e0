-- Whether the mail server may have taken the mail at its last try, and only its answer came too late.
ALTER TABLE mail ADD COLUMN perhaps_taken {int} NOT NULL DEFAULT 0;
