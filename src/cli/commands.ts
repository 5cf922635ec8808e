/** Every command there is, and the run of the one that was typed. Only that one is loaded. */
import { packageVersion } from '../files/package-version.ts'
import { type Command, EXIT_BROKEN_PIPE, Refusal, UsageError, printOutput } from './command.ts'

type Load<Key extends string> = () => Promise<Readonly<Record<Key, Command>>>

/** A command as the overview shows it, with a name of one word or two, as typed. A file exports it as `key`. */
function listed<Key extends string>(name: string, load: Load<Key>, key: Key, summary: string) {
  return { name, summary, load: async (): Promise<Command> => (await load())[key] }
}

const serve = () => import('./serve.ts')
const score = () => import('./score/score.ts')
const sql = () => import('./sql.ts')
const keys = () => import('./keys/keys.ts')
const rotateSecret = () => import('./keys/rotate-secret.ts')
const audit = () => import('./audit/audit.ts')
const acceptLoss = () => import('./audit/accept-loss.ts')
const verify = () => import('./audit/verify.ts')
const replay = () => import('./audit/replay.ts')
const alarms = () => import('./alarms.ts')
const backup = () => import('./backup.ts')
const check = () => import('./catalog/check.ts')
const definitions = () => import('./catalog/models-and-scales.ts')
const template = () => import('./catalog/template.ts')
const plan = () => import('./learn/plan.ts')
const evaluate = () => import('./learn/evaluate-model.ts')
const checklist = () => import('./learn/checklist.ts')
const make = () => import('./learn/make-model.ts')
const imports = () => import('./learn/import-file.ts')

/** In the order of the overview. */
const COMMANDS = [
  listed('serve', serve, 'serve', 'Serve the deployments over HTTP.'),
  listed('score', score, 'score', 'Score a file of records: JSON, NDJSON, CSV or Parquet.'),
  listed('sql', sql, 'sql', 'Print a model as a SELECT for DuckDB, PostgreSQL or Spark.'),
  listed('keys create', keys, 'keysCreate', 'Make an API key and show it once.'),
  listed('keys list', keys, 'keysList', 'List the API keys, without their secrets.'),
  listed('keys rotate', keys, 'keysRotate', 'Replace an API key; the old one keeps working for a while.'),
  listed('keys revoke', keys, 'keysRevoke', 'Revoke an API key.'),
  listed(
    'keys rotate-secret',
    rotateSecret,
    'keysRotateSecret',
    'Replace the secret of the key digests; all keys keep working.',
  ),
  listed('audit list', audit, 'auditList', 'List what was answered, newest first.'),
  listed('audit verify', verify, 'auditVerify', 'Verify that no audit row was changed, removed or moved.'),
  listed('audit anchor', audit, 'auditAnchor', 'Print the head of the audit chain, to be kept elsewhere.'),
  listed('audit accept-loss', acceptLoss, 'auditAcceptLoss', 'Start again on a store that has lost rows.'),
  listed('audit parts', audit, 'auditParts', 'List the months that retention has removed.'),
  listed('audit export', audit, 'auditExport', 'Print all audit rows as NDJSON.'),
  listed('audit replay', replay, 'auditReplay', 'Score a body again and compare with the recorded answer.'),
  listed('alarms list', alarms, 'alarmsList', 'List alarms of units, drift and calibration.'),
  listed('alarms confirm', alarms, 'alarmsConfirm', 'Confirm the unit in which a feed sends a field.'),
  listed('alarms acknowledge', alarms, 'alarmsAcknowledge', 'End an alarm whose cause was removed.'),
  listed('backup', backup, 'backup', 'Copy the store and its key secret while the service runs.'),
  listed('restore', backup, 'restore', 'Restore a backup into an empty data folder.'),
  listed('check', check, 'check', 'Validate clinical files and the configuration.'),
  listed('models', definitions, 'models', 'List the models, or show one.'),
  listed('scales', definitions, 'scales', 'List the scales, or show one.'),
  listed('template', template, 'template', 'Print a record to fill in for a model.'),
  listed('learn plan', plan, 'learnPlan', 'Compute the sample size that a new model needs.'),
  listed('learn fit', make, 'learnFit', 'Fit a model to your own outcomes.'),
  listed('learn validate', evaluate, 'learnValidate', 'Evaluate a model on labelled data.'),
  listed('learn recalibrate', make, 'learnRecalibrate', 'Recalibrate a model on your own outcomes.'),
  listed('learn template', imports, 'learnTemplate', 'Print a first specification for a model file.'),
  listed('learn import', imports, 'learnImport', 'Import a model that was made elsewhere.'),
  listed('learn monitor', evaluate, 'learnMonitor', 'Follow a model’s calibration month by month.'),
  listed('learn checklist', checklist, 'learnChecklist', 'Print a model’s TRIPOD+AI checklist.'),
  listed('learn drift', evaluate, 'learnDrift', 'Compare records with the data that a model was made on.'),
]

export async function run(args: readonly string[]): Promise<number> {
  const listed = COMMANDS.find(({ name }) => name.split(' ').every((word, index) => args[index] === word))
  const command = await listed?.load()
  const asksForHelp = args.includes('--help') || args.includes('-h')
  if (asksForHelp || command?.handlesOutputErrors !== true) {
    // A program may run several commands.
    process.stdout.off('error', onOutputError).on('error', onOutputError)
  }
  if (listed === undefined || command === undefined) return overview(args)
  if (asksForHelp) return printOutput(`${command.help}\n`)
  try {
    return await command.run(args.slice(listed.name.split(' ').length))
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof Refusal)) throw error
    const isUsage = error instanceof UsageError
    process.stderr.write(`${error.message}\n${isUsage ? `Try: patient-risk ${listed.name} --help\n` : ''}`)
    return isUsage ? 2 : 1
  }
}

function overview(args: readonly string[]): number {
  if (args[0] === '--version') return printOutput(`${packageVersion()}\n`)
  const asked = args.length === 0 || args[0] === '--help' || args[0] === '-h' || args[0] === 'help'
  const group = COMMANDS.filter(({ name }) => args[0] !== undefined && name.startsWith(`${args[0]} `))
  const shown = group.length > 0 ? group : COMMANDS
  const lines = shown.map(({ name, summary }) => `  ${name.padEnd(20)}${summary}`)
  const last = 'Every command has --help. --version prints the version.'
  const text = `Usage: patient-risk COMMAND [OPTIONS]\n\n${lines.join('\n')}\n\n${last}\n`
  if (asked || (group.length > 0 && args.includes('--help'))) {
    process.stdout.write(text)
    return asked && args.length === 0 ? 2 : 0
  }
  process.stderr.write(`There is no command "${args.slice(0, 2).join(' ')}".\n\n${text}`)
  return 2
}

/** Ends a command whose output cannot be written: quietly where its reader has gone, as after `| head`, else with a message. */
function onOutputError({ code = 'unknown' }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit(EXIT_BROKEN_PIPE)
  process.stderr.write(`The output cannot be written (${code}).\n`)
  process.exit(1)
}
