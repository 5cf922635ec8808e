-- Keeps today's answer for each patient. It can be run again on the same day: the rows of that day are replaced.
CREATE TABLE IF NOT EXISTS risks (
  scored_on date NOT NULL DEFAULT current_date,
  idx bigint,
  risk float8,
  error_message jsonb
);

BEGIN;
DELETE FROM risks WHERE scored_on = current_date;
INSERT INTO risks (idx, risk, error_message)
SELECT idx, risk, error_message::jsonb FROM readmission_risk;
COMMIT;
