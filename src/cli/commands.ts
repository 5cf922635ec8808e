/** Every command there is. Only the one that was typed is loaded. */
import type { Listed } from './command.ts'

export const COMMANDS: readonly Listed[] = [
  {
    name: 'serve',
    summary: 'Serve the deployments over HTTP.',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'score',
    summary: 'Score a file of records: JSON, NDJSON, CSV or Parquet.',
    load: async () => (await import('./score/score.ts')).score,
  },
  {
    name: 'sql',
    summary: 'Print a model as a SELECT for DuckDB, PostgreSQL or Spark.',
    load: async () => (await import('./sql.ts')).sql,
  },
  {
    name: 'keys create',
    summary: 'Make an API key and show it once.',
    load: async () => (await import('./keys/keys.ts')).keysCreate,
  },
  {
    name: 'keys list',
    summary: 'List the API keys, without their secrets.',
    load: async () => (await import('./keys/keys.ts')).keysList,
  },
  {
    name: 'keys rotate',
    summary: 'Replace an API key: the old one goes on for a while.',
    load: async () => (await import('./keys/keys.ts')).keysRotate,
  },
  {
    name: 'keys revoke',
    summary: 'End an API key at once.',
    load: async () => (await import('./keys/keys.ts')).keysRevoke,
  },
  {
    name: 'audit list',
    summary: 'List what was answered, newest first.',
    load: async () => (await import('./audit/audit.ts')).auditList,
  },
  {
    name: 'audit verify',
    summary: 'Verify that no row of the audit was changed, removed or moved.',
    load: async () => (await import('./audit/audit.ts')).auditVerify,
  },
  {
    name: 'audit anchor',
    summary: 'Print the head of the audit, to be kept elsewhere.',
    load: async () => (await import('./audit/audit.ts')).auditAnchor,
  },
  {
    name: 'audit export',
    summary: 'Write the audit as a JSON object a line.',
    load: async () => (await import('./audit/audit.ts')).auditExport,
  },
  {
    name: 'audit replay',
    summary: 'Give an answer again and compare it with the recorded one.',
    load: async () => (await import('./audit/replay.ts')).auditReplay,
  },
  {
    name: 'backup',
    summary: 'Copy the store and its key secret while the service runs.',
    load: async () => (await import('./backup.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'Put a backup into an empty data folder.',
    load: async () => (await import('./backup.ts')).restore,
  },
  {
    name: 'check',
    summary: 'Validate clinical files and the configuration.',
    load: async () => (await import('./catalog/check.ts')).check,
  },
  {
    name: 'models',
    summary: 'List the models, or show one.',
    load: async () => (await import('./catalog/models.ts')).models,
  },
  {
    name: 'scales',
    summary: 'List the scales, or show one.',
    load: async () => (await import('./catalog/scales.ts')).scales,
  },
  {
    name: 'template',
    summary: 'Print a record to fill in for a model.',
    load: async () => (await import('./catalog/template.ts')).template,
  },
  {
    name: 'learn plan',
    summary: 'Compute the sample size that a new model needs.',
    load: async () => (await import('./learn/plan.ts')).learnPlan,
  },
  {
    name: 'learn fit',
    summary: 'Fit a model to your own outcomes.',
    load: async () => (await import('./learn/fit.ts')).learnFit,
  },
  {
    name: 'learn validate',
    summary: 'Evaluate a model on labelled data.',
    load: async () => (await import('./learn/validate.ts')).learnValidate,
  },
  {
    name: 'learn recalibrate',
    summary: 'Recalibrate a model on your own outcomes.',
    load: async () => (await import('./learn/recalibrate.ts')).learnRecalibrate,
  },
  {
    name: 'learn import',
    summary: 'Import a model that was fitted elsewhere.',
    load: async () => (await import('./learn/import.ts')).learnImport,
  },
  {
    name: 'learn monitor',
    summary: 'Follow a model’s calibration month by month.',
    load: async () => (await import('./learn/monitor.ts')).learnMonitor,
  },
  {
    name: 'learn checklist',
    summary: 'Print a model’s TRIPOD+AI checklist.',
    load: async () => (await import('./learn/checklist.ts')).learnChecklist,
  },
  {
    name: 'learn drift',
    summary: 'Compare records with the data that a model was made on.',
    load: async () => (await import('./learn/drift.ts')).learnDrift,
  },
]
