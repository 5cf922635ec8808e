-- Every night: scores the patients that are new or changed, all of them after another model or setting, and drops those that are gone.
CALL score_changed_patients();
