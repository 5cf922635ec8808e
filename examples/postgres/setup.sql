-- Run once, after the view readmission_risk exists (README.md). Needs PostgreSQL 15 or newer.

-- The latest answer for each patient, with what it was made from.
CREATE TABLE IF NOT EXISTS risks (
  idx bigint PRIMARY KEY,
  risk float8,
  error_message jsonb,
  model text NOT NULL,
  deployment_digest text NOT NULL,
  -- updated_at of the patient when the risk was computed.
  source_at timestamptz,
  scored_on date NOT NULL DEFAULT current_date,
  scored_at timestamptz NOT NULL DEFAULT now()
);

-- One row for each night.
CREATE TABLE IF NOT EXISTS risk_runs (
  run_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  started timestamptz NOT NULL,
  ended timestamptz NOT NULL,
  model text NOT NULL,
  deployment_digest text NOT NULL,
  patients bigint NOT NULL,
  written bigint NOT NULL,
  removed bigint NOT NULL,
  unscored bigint NOT NULL
);

-- Scores what has changed since the last run. It runs in one transaction: readers see the old answers or all of the new ones.
CREATE OR REPLACE PROCEDURE score_changed_patients()
LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
  removed bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('score_changed_patients', 0)) THEN
    RAISE EXCEPTION 'another run is at work; wait for its end';
  END IF;
  -- An empty table is more likely a load that failed than a hospital without patients.
  IF NOT EXISTS (SELECT FROM patients) THEN
    RAISE EXCEPTION 'the table patients is empty; nothing was changed';
  END IF;

  MERGE INTO risks AS kept
  USING (
    SELECT * FROM readmission_risk AS view
    WHERE NOT EXISTS (
      SELECT FROM risks AS same
      WHERE same.idx = view.idx
        AND same.source_at = view.updated_at
        AND same.deployment_digest = view.deployment_digest
        -- A date that lay in the future may be a permitted one today.
        AND (same.scored_on = current_date OR same.error_message IS NULL
          OR same.error_message::text NOT LIKE '%(date in the future)%')
    )
  ) AS scored ON kept.idx = scored.idx
  WHEN MATCHED THEN UPDATE SET
    risk = scored.risk,
    error_message = scored.error_message::jsonb,
    model = scored.model,
    deployment_digest = scored.deployment_digest,
    source_at = scored.updated_at,
    scored_on = current_date,
    scored_at = now()
  WHEN NOT MATCHED THEN INSERT (idx, risk, error_message, model, deployment_digest, source_at)
    VALUES (scored.idx, scored.risk, scored.error_message::jsonb, scored.model, scored.deployment_digest, scored.updated_at);
  GET DIAGNOSTICS written = ROW_COUNT;

  DELETE FROM risks AS kept WHERE NOT EXISTS (SELECT FROM patients WHERE patients.idx = kept.idx);
  GET DIAGNOSTICS removed = ROW_COUNT;

  INSERT INTO risk_runs (started, ended, model, deployment_digest, patients, written, removed, unscored)
  SELECT now(), clock_timestamp(), min(model), min(deployment_digest), count(*), written, removed, count(*) FILTER (WHERE risk IS NULL)
  FROM risks;
END;
$$;
