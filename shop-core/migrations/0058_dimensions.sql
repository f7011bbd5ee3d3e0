-- The sides of what is sold, packed for sending, in millimetres; and what a variant weighs, where
-- that is not what its product weighs.
ALTER TABLE product ADD COLUMN length_mm {int};
ALTER TABLE product ADD COLUMN width_mm {int};
ALTER TABLE product ADD COLUMN height_mm {int};
ALTER TABLE variant ADD COLUMN weight_grams {int};
ALTER TABLE variant ADD COLUMN length_mm {int};
ALTER TABLE variant ADD COLUMN width_mm {int};
ALTER TABLE variant ADD COLUMN height_mm {int};
