-- Runs the nightly job inside the server, with the extension pg_cron. Run it once, in the database that pg_cron uses (cron.database_name).
CREATE EXTENSION IF NOT EXISTS pg_cron;
-- 02:15 each night, in the time zone of the server's setting cron.timezone. Scheduling it again under this name replaces it.
SELECT cron.schedule('patient-risk', '15 2 * * *', 'CALL score_changed_patients()');
