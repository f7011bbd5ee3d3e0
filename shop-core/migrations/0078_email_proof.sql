-- Since when it is known that an account's e-mail is its owner's: a link that was sent there was followed.
ALTER TABLE account ADD COLUMN email_proved_at {int};
