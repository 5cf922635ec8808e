/** What a command is, and how its arguments are parsed. */
import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'
import { type Config, readConfig } from '../config/config.ts'
import { type Fault, faultLine } from '../definition/fault.ts'
import { nearNames } from '../definition/near-names.ts'

export interface Command {
  readonly help: string
  /** Whether it handles an output that cannot be written. Other commands end then. */
  readonly handlesOutputErrors?: true
  /** Returns the exit code, 0 for success. Throws a UsageError for wrong arguments, and a Refusal for a refused input. */
  run(args: readonly string[]): number | Promise<number>
}

/** The arguments of a command are wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What was asked cannot be done, for a reason that the user can act on: exit code 1. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** The options of a command by what follows them: one text, a text each time they are repeated, or nothing. */
interface Options {
  readonly texts?: readonly string[]
  readonly lists?: readonly string[]
  readonly flags?: readonly string[]
}

type Names<O extends Options, Kind extends keyof Options> = NonNullable<O[Kind]>[number]
type Values<Name extends string, Value> = Readonly<Partial<Record<Name, Value>>>
export type OptionValues<O extends Options> = Values<Names<O, 'texts'>, string> &
  Values<Names<O, 'lists'>, readonly string[]> &
  Values<Names<O, 'flags'>, boolean>

/** `positional` says whether arguments other than options are allowed; a text asks for exactly one, which is `only`. */
export function parseArguments<const O extends Options>(
  args: readonly string[],
  { texts = [], lists = [], flags = [] }: O,
  positional: boolean | string = false,
): { readonly values: OptionValues<O>; readonly positionals: readonly string[]; readonly only: string } {
  const options = Object.fromEntries<ParseArgsOptionDescriptor>([
    ...texts.map((name) => [name, { type: 'string', ...(name === 'output' && { short: 'o' }) }] as const),
    ...lists.map((name) => [name, { type: 'string', multiple: true }] as const),
    ...flags.map((name) => [name, { type: 'boolean' }] as const),
  ])
  try {
    const allowPositionals = positional !== false
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals })
    if (typeof positional === 'string' && positionals.length !== 1) throw new Error(positional)
    return { values: values as OptionValues<O>, positionals, only: positionals[0] ?? '' }
  } catch (error) {
    const { message } = error as Error
    const [, unknown = ''] = /^Unknown option '--([^'=]+)/.exec(message) ?? []
    const [near] = nearNames(unknown, Object.keys(options))
    throw new UsageError(
      near === undefined ? message : `Unknown option '--${unknown}'. Did you mean --${near}?`,
    )
  }
}

/** What a shell shows for a program that wrote to a pipe without a reader. */
export const EXIT_BROKEN_PIPE = 128 + 13

export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const print = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return `${[head, ...rows].map(print).join('\n')}\n`
}

/** Prints the output of a command: its text, or one line of JSON where `--json` gives a value. Returns the exit code. */
export function printOutput(text: string, json?: unknown): number {
  process.stdout.write(json === undefined || json === false ? text : `${JSON.stringify(json)}\n`)
  return 0
}

/** Prints a line that is not part of the output. */
export function printNote(line: string): void {
  process.stderr.write(`${line}\n`)
}

export function faultsText(faults: readonly Fault[]): string {
  const count = `${faults.length} ${faults.length === 1 ? 'fault' : 'faults'} found.`
  return [...faults.map(faultLine), count].join('\n')
}

export function configOrRefusal(): Config {
  const { config, faults } = readConfig()
  if (config === undefined) throw new Refusal(faultsText(faults))
  return config
}
