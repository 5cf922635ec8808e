/** Every command there is. Only the one that was typed is loaded. */
import type { Command, Listed } from './command.ts'

type Load<Key extends string> = () => Promise<Readonly<Record<Key, Command>>>

/** The command that a file exports as `key`. */
function listed<Key extends string>(name: string, load: Load<Key>, key: Key, summary: string): Listed {
  return { name, summary, load: async () => (await load())[key] }
}

const serve = () => import('./serve.ts')
const score = () => import('./score/score.ts')
const sql = () => import('./sql.ts')
const keys = () => import('./keys/keys.ts')
const audit = () => import('./audit/audit.ts')
const replay = () => import('./audit/replay.ts')
const backup = () => import('./backup.ts')
const check = () => import('./catalog/check.ts')
const show = () => import('./catalog/show.ts')
const template = () => import('./catalog/template.ts')
const evaluate = () => import('./learn/evaluate.ts')
const make = () => import('./learn/make-model.ts')

/** In the order of the overview. */
export const COMMANDS: readonly Listed[] = [
  listed('serve', serve, 'serve', 'Serve the deployments over HTTP.'),
  listed('score', score, 'score', 'Score a file of records: JSON, NDJSON, CSV or Parquet.'),
  listed('sql', sql, 'sql', 'Print a model as a SELECT for DuckDB, PostgreSQL or Spark.'),
  listed('keys create', keys, 'keysCreate', 'Make an API key and show it once.'),
  listed('keys list', keys, 'keysList', 'List the API keys, without their secrets.'),
  listed('keys rotate', keys, 'keysRotate', 'Replace an API key; the old one keeps working for a while.'),
  listed('keys revoke', keys, 'keysRevoke', 'Revoke an API key.'),
  listed('audit list', audit, 'auditList', 'List what was answered, newest first.'),
  listed('audit verify', audit, 'auditVerify', 'Verify that no audit row was changed, removed or moved.'),
  listed('audit anchor', audit, 'auditAnchor', 'Print the head of the audit chain, to be kept elsewhere.'),
  listed('audit export', audit, 'auditExport', 'Print all audit rows as NDJSON.'),
  listed('audit replay', replay, 'auditReplay', 'Score a body again and compare with the recorded answer.'),
  listed('backup', backup, 'backup', 'Copy the store and its key secret while the service runs.'),
  listed('restore', backup, 'restore', 'Restore a backup into an empty data folder.'),
  listed('check', check, 'check', 'Validate clinical files and the configuration.'),
  listed('models', show, 'models', 'List the models, or show one.'),
  listed('scales', show, 'scales', 'List the scales, or show one.'),
  listed('template', template, 'template', 'Print a record to fill in for a model.'),
  listed('learn plan', evaluate, 'learnPlan', 'Compute the sample size that a new model needs.'),
  listed('learn fit', make, 'learnFit', 'Fit a model to your own outcomes.'),
  listed('learn validate', evaluate, 'learnValidate', 'Evaluate a model on labelled data.'),
  listed('learn recalibrate', make, 'learnRecalibrate', 'Recalibrate a model on your own outcomes.'),
  listed('learn import', make, 'learnImport', 'Import a model that was fitted elsewhere.'),
  listed('learn monitor', evaluate, 'learnMonitor', 'Follow a model’s calibration month by month.'),
  listed('learn checklist', evaluate, 'learnChecklist', 'Print a model’s TRIPOD+AI checklist.'),
  listed('learn drift', evaluate, 'learnDrift', 'Compare records with the data that a model was made on.'),
]
