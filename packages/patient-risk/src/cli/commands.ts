/** Runs the command that was typed. Only that one is loaded. */
import { packageVersion } from '@patient-risk/runtime'
import { type Command, EXIT_BROKEN_PIPE, Refusal, UsageError, printOutput } from './command.ts'
import { readManual } from './manual.ts'

type Load = () => Promise<Readonly<Record<string, Command>>>

/** Every file of commands, and their names as typed: it exports `keys create` as `keysCreate`. */
const FILES: readonly (readonly [Load, ...string[]])[] = [
  [() => import('./serve.ts'), 'serve'],
  [() => import('./score/score.ts'), 'score'],
  [() => import('./score/inspect.ts'), 'inspect'],
  [() => import('./sql.ts'), 'sql'],
  [() => import('./pack.ts'), 'pack'],
  [() => import('./keys/keys.ts'), 'keys create', 'keys list', 'keys rotate', 'keys revoke'],
  [() => import('./keys/rotate-secret.ts'), 'keys rotate-secret'],
  [() => import('./audit/audit.ts'), 'audit list', 'audit anchor', 'audit parts', 'audit export'],
  [() => import('./audit/accept-loss.ts'), 'audit accept-loss'],
  [() => import('./audit/accept-changes.ts'), 'audit accept-changes'],
  [() => import('./audit/verify.ts'), 'audit verify'],
  [() => import('./audit/replay.ts'), 'audit replay'],
  [() => import('./alarms.ts'), 'alarms list', 'alarms confirm', 'alarms acknowledge'],
  [() => import('./backup.ts'), 'backup', 'restore'],
  // Before `fhir`, whose name it begins with.
  [() => import('./fhir/maps.ts'), 'fhir maps'],
  [() => import('./fhir/population.ts'), 'fhir'],
  [() => import('./catalog/check.ts'), 'check'],
  [() => import('./catalog/models-and-scales.ts'), 'models', 'scales'],
  [() => import('./catalog/template.ts'), 'template'],
  [() => import('./learn/plan.ts'), 'learn plan'],
  [() => import('./learn/evaluate-model.ts'), 'learn validate', 'learn monitor', 'learn drift'],
  [() => import('./learn/checklist.ts'), 'learn checklist'],
  [() => import('./learn/make-model.ts'), 'learn fit', 'learn recalibrate'],
  [() => import('./learn/import-file.ts'), 'learn template', 'learn import'],
]

/** Every command by its name, loaded when it is asked for. */
export const COMMANDS = FILES.flatMap(([load, ...names]) =>
  names.map((name) => {
    const key = name.replace(/[ -](.)/g, (_all, first: string) => first.toUpperCase())
    return { name, load: async (): Promise<Command | undefined> => (await load())[key] }
  }),
)

export async function run(args: readonly string[]): Promise<number> {
  const found = COMMANDS.find(({ name }) => name.split(' ').every((word, index) => args[index] === word))
  const asksForHelp = args.includes('--help') || args.includes('-h')
  const command = asksForHelp ? undefined : await found?.load()
  if (command?.options.handlesOutputErrors !== true) {
    // A program may run several commands.
    process.stdout.off('error', onOutputError).on('error', onOutputError)
  }
  if (found === undefined) return overview(args)
  if (command === undefined)
    return printOutput(readManual().find(({ name }) => name === found.name)?.help ?? '')
  try {
    return await command.run(args.slice(found.name.split(' ').length))
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof Refusal)) throw error
    const isUsage = error instanceof UsageError
    process.stderr.write(`${error.message}\n${isUsage ? `Try: patient-risk ${found.name} --help\n` : ''}`)
    return isUsage ? 2 : 1
  }
}

function overview(args: readonly string[]): number {
  if (args[0] === '--version') return printOutput(`${packageVersion()}\n`)
  const asked = args.length === 0 || args[0] === '--help' || args[0] === '-h' || args[0] === 'help'
  const all = readManual()
  const group = all.filter(({ name }) => args[0] !== undefined && name.startsWith(`${args[0]} `))
  const shown = group.length > 0 ? group : all
  const lines = shown.map(({ name, summary }) => `  ${name.padEnd(22)}${summary}`)
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
