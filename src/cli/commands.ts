/** Every command there is. Only the one that was typed is loaded. */
import type { Command, Listed } from './command.ts'

/** The commands of one file: each by its name, with its export and its summary. */
function commandsOf<Key extends string>(
  load: () => Promise<Readonly<Record<Key, Command>>>,
  commands: Readonly<Record<string, readonly [key: Key, summary: string]>>,
): readonly Listed[] {
  return Object.entries(commands).map(([name, [key, summary]]) => ({
    name,
    summary,
    load: async () => (await load())[key],
  }))
}

/** In the order of the overview. */
export const COMMANDS: readonly Listed[] = [
  ...commandsOf(() => import('./serve.ts'), { serve: ['serve', 'Serve the deployments over HTTP.'] }),
  ...commandsOf(() => import('./score/score.ts'), {
    score: ['score', 'Score a file of records: JSON, NDJSON, CSV or Parquet.'],
  }),
  ...commandsOf(() => import('./sql.ts'), {
    sql: ['sql', 'Print a model as a SELECT for DuckDB, PostgreSQL or Spark.'],
  }),
  ...commandsOf(() => import('./keys/keys.ts'), {
    'keys create': ['keysCreate', 'Make an API key and show it once.'],
    'keys list': ['keysList', 'List the API keys, without their secrets.'],
    'keys rotate': ['keysRotate', 'Replace an API key: the old one goes on for a while.'],
    'keys revoke': ['keysRevoke', 'End an API key at once.'],
  }),
  ...commandsOf(() => import('./audit/audit.ts'), {
    'audit list': ['auditList', 'List what was answered, newest first.'],
    'audit verify': ['auditVerify', 'Verify that no row of the audit was changed, removed or moved.'],
    'audit anchor': ['auditAnchor', 'Print the head of the audit, to be kept elsewhere.'],
    'audit export': ['auditExport', 'Write the audit as a JSON object a line.'],
  }),
  ...commandsOf(() => import('./audit/replay.ts'), {
    'audit replay': ['auditReplay', 'Give an answer again and compare it with the recorded one.'],
  }),
  ...commandsOf(() => import('./backup.ts'), {
    backup: ['backup', 'Copy the store and its key secret while the service runs.'],
    restore: ['restore', 'Put a backup into an empty data folder.'],
  }),
  ...commandsOf(() => import('./catalog/check.ts'), {
    check: ['check', 'Validate clinical files and the configuration.'],
  }),
  ...commandsOf(() => import('./catalog/show.ts'), {
    models: ['models', 'List the models, or show one.'],
    scales: ['scales', 'List the scales, or show one.'],
  }),
  ...commandsOf(() => import('./catalog/template.ts'), {
    template: ['template', 'Print a record to fill in for a model.'],
  }),
  ...commandsOf(() => import('./learn/evaluate.ts'), {
    'learn plan': ['learnPlan', 'Compute the sample size that a new model needs.'],
  }),
  ...commandsOf(() => import('./learn/make-model.ts'), {
    'learn fit': ['learnFit', 'Fit a model to your own outcomes.'],
  }),
  ...commandsOf(() => import('./learn/evaluate.ts'), {
    'learn validate': ['learnValidate', 'Evaluate a model on labelled data.'],
  }),
  ...commandsOf(() => import('./learn/make-model.ts'), {
    'learn recalibrate': ['learnRecalibrate', 'Recalibrate a model on your own outcomes.'],
    'learn import': ['learnImport', 'Import a model that was fitted elsewhere.'],
  }),
  ...commandsOf(() => import('./learn/monitor.ts'), {
    'learn monitor': ['learnMonitor', 'Follow a model’s calibration month by month.'],
  }),
  ...commandsOf(() => import('./learn/evaluate.ts'), {
    'learn checklist': ['learnChecklist', 'Print a model’s TRIPOD+AI checklist.'],
    'learn drift': ['learnDrift', 'Compare records with the data that a model was made on.'],
  }),
]
