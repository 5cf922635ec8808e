/** Finds the command that was typed, runs it, and turns its end into an exit code. */
import { packageVersion } from '../version.ts'
import { type Listed, Refusal, UsageError } from './command.ts'

/** What a shell shows for a program that wrote to a pipe without a reader. */
export const EXIT_BROKEN_PIPE = 128 + 13

export async function run(commands: readonly Listed[], args: readonly string[]): Promise<number> {
  const listed = commands.find(({ name }) => name.split(' ').every((word, index) => args[index] === word))
  if (listed === undefined) {
    endOnOutputError()
    return overview(commands, args)
  }
  const rest = args.slice(listed.name.split(' ').length)
  const command = await listed.load()
  const asksForHelp = rest.includes('--help') || rest.includes('-h')
  if (asksForHelp || command.handlesOutputErrors !== true) endOnOutputError()
  if (asksForHelp) {
    process.stdout.write(`${command.help}\n`)
    return 0
  }
  try {
    return await command.run(rest)
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof Refusal)) throw error
    const isUsage = error instanceof UsageError
    process.stderr.write(`${error.message}\n${isUsage ? `Try: patient-risk ${listed.name} --help\n` : ''}`)
    return isUsage ? 2 : 1
  }
}

function overview(commands: readonly Listed[], args: readonly string[]): number {
  if (args[0] === '--version') {
    process.stdout.write(`${packageVersion()}\n`)
    return 0
  }
  const asked = args.length === 0 || args[0] === '--help' || args[0] === '-h' || args[0] === 'help'
  const group = commands.filter(({ name }) => args[0] !== undefined && name.startsWith(`${args[0]} `))
  const shown = group.length > 0 ? group : commands
  const lines = shown.map(({ name, summary }) => `  ${name.padEnd(19)}${summary}`)
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
function endOnOutputError(): void {
  // A program may run several commands.
  process.stdout.off('error', onOutputError).on('error', onOutputError)
}

function onOutputError({ code = 'unknown' }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit(EXIT_BROKEN_PIPE)
  process.stderr.write(`The output cannot be written (${code}).\n`)
  process.exit(1)
}
