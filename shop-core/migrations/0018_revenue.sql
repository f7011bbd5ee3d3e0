-- Revenue is what orders come to that are being prepared, sent or delivered; until now it was all
-- but the cancelled and refunded ones.
UPDATE order_day SET revenue = 0;
UPDATE order_day SET revenue = n.revenue FROM (
  SELECT substr(ltrim(number, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'), 2, 8) AS day,
    sum(total) AS revenue
  FROM orders WHERE status IN ('PROCESSING', 'SHIPPED', 'DELIVERED') GROUP BY 1
) n WHERE n.day = order_day.day;

-- What products sold is summed up anew in the background; days that are not summed up are read line
-- by line meanwhile.
DELETE FROM product_day;
UPDATE order_day SET summed = 0;
