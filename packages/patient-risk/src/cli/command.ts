/** What a command is, and how its arguments are parsed. */
import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'
import { type Config, readConfig } from '@patient-risk/catalog/config'
import { type Fault, faultLine, nearNames } from 'patient-risk-engine/definition'

export interface Command {
  readonly options: Options
  /** Returns the exit code, 0 for success. Throws a UsageError for wrong arguments, and a Refusal for a refused input. */
  run(args: readonly string[]): Promise<number>
}

/** The arguments of a command are wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What was asked cannot be done, for a reason that the user can act on: exit code 1. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

const isShare = (number: number): boolean => number > 0 && number < 1
/** What a number may be. A threshold of 0 or 1 would flag everybody or nobody. */
const NUMBERS = {
  whole: [(number: number) => Number.isInteger(number) && number >= 0, 'a whole number, 0 or more'],
  risk: [isShare, 'a risk between 0 and 1, for example 0.15'],
  share: [isShare, 'a share between 0 and 1'],
  any: [Number.isFinite, 'a number'],
} as const

/** The options of a command by what follows them: one text, a text each time they are repeated, nothing, or a number. */
export interface Options {
  readonly texts?: readonly string[]
  readonly lists?: readonly string[]
  readonly flags?: readonly string[]
  readonly numbers?: Readonly<Record<string, keyof typeof NUMBERS>>
  readonly required?: readonly string[]
  /** Whether arguments other than options are allowed; a text asks for exactly one. */
  readonly operands?: true | string
  /** Whether the command handles an output that cannot be written. Other commands end then. */
  readonly handlesOutputErrors?: true
}

type Names<O, Kind extends string> =
  O extends Readonly<Record<Kind, readonly (infer Name extends string)[]>> ? Name : never
type Values<Name extends PropertyKey, Value> = Readonly<Partial<Record<Name, Value>>>
type Given<O> = Values<Names<O, 'texts'>, string> &
  Values<Names<O, 'lists'>, readonly string[]> &
  Values<Names<O, 'flags'>, boolean> &
  Values<O extends { readonly numbers: infer Numbers } ? keyof Numbers : never, number>
export type OptionValues<O extends Options> = Given<O> &
  Required<Pick<Given<O>, Names<O, 'required'> & keyof Given<O>>>

/** `operands` are the arguments that are not options. */
export function command<const O extends Options>(
  options: O,
  run: (values: OptionValues<O>, operands: readonly string[]) => number | Promise<number>,
): Command {
  return {
    options,
    async run(args) {
      const { values, positionals } = parseArguments(args, options)
      return run(values as OptionValues<O>, positionals)
    },
  }
}

function parseArguments(args: readonly string[], options: Options) {
  const { texts = [], lists = [], flags = [], numbers = {}, required = [], operands } = options
  const kinds = Object.fromEntries<ParseArgsOptionDescriptor>([
    ...[...texts, ...Object.keys(numbers)].map((name) => [name, { type: 'string' }] as const),
    ...lists.map((name) => [name, { type: 'string', multiple: true }] as const),
    ...flags.map((name) => [name, { type: 'boolean' }] as const),
  ])
  if (kinds['output'] !== undefined) kinds['output'].short = 'o'
  const parsed = parsedBy(args, kinds, operands !== undefined)
  if (typeof operands === 'string' && parsed.positionals.length !== 1) throw new UsageError(operands)
  const lost = required.filter((name) => parsed.values[name] === undefined).map((name) => `--${name}`)
  if (lost.length > 0)
    throw new UsageError(`${lost.join(' and ')} ${lost.length === 1 ? 'is' : 'are'} required.`)
  const values = Object.entries(parsed.values).map(([name, value]) => {
    const kind = numbers[name]
    return [name, kind === undefined ? value : numberOf(name, String(value), kind)] as const
  })
  return { values: Object.fromEntries(values), positionals: parsed.positionals }
}

function parsedBy(
  args: readonly string[],
  options: Record<string, ParseArgsOptionDescriptor>,
  allowPositionals: boolean,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals })
  } catch (error) {
    const { message } = error as Error
    const [, unknown = ''] = /^Unknown option '--([^'=]+)/.exec(message) ?? []
    const [near] = nearNames(unknown, Object.keys(options))
    throw new UsageError(
      near === undefined ? message : `Unknown option '--${unknown}'. Did you mean --${near}?`,
    )
  }
}

function numberOf(name: string, text: string, kind: keyof typeof NUMBERS): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number)) throw new UsageError(`--${name} takes a number.`)
  const [holds, takes] = NUMBERS[kind]
  if (!holds(number)) throw new UsageError(`--${name} takes ${takes}.`)
  return number
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
