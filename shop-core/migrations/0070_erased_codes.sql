-- Orders of accounts that were erased kept the parcel's code, which leads to the recipient.
UPDATE orders SET tracking_code = NULL
 WHERE tracking_code IS NOT NULL AND address LIKE '%"street":"","number":"",%';
