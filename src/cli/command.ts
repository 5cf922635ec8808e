/** What a command is, and how its arguments are parsed. */
import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'
import { type Config, type Environment, readConfig } from '../config.ts'
import { type Fault, faultLine } from '../definition/fault.ts'

/** A command as the overview shows it. */
export interface Listed {
  /** One word or two, as typed. */
  readonly name: string
  readonly summary: string
  load(): Promise<Command>
}

export interface Command {
  readonly help: string
  /** Whether it handles an output that cannot be written. Other commands end then. */
  readonly handlesOutputErrors?: true
  /** Returns the exit code: 0 for success, 1 for a refused input. Throws a UsageError for wrong arguments. */
  run(args: readonly string[]): number | Promise<number>
}

/** The arguments of a command are wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
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

export function parseArguments<const O extends Options>(
  args: readonly string[],
  { texts = [], lists = [], flags = [] }: O,
  allowPositionals = false,
): { readonly values: OptionValues<O>; readonly positionals: readonly string[] } {
  const options = Object.fromEntries<ParseArgsOptionDescriptor>([
    ...texts.map((name) => [name, { type: 'string', ...(name === 'output' && { short: 'o' }) }] as const),
    ...lists.map((name) => [name, { type: 'string', multiple: true }] as const),
    ...flags.map((name) => [name, { type: 'boolean' }] as const),
  ])
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals })
    return { values: values as OptionValues<O>, positionals }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** The only argument of a command that takes exactly one; `usage` says what it is. */
export function onlyArgument(positionals: readonly string[], usage: string): string {
  const [only, ...rest] = positionals
  if (only === undefined || rest.length > 0) throw new UsageError(usage)
  return only
}

/** Prints faults for a person, all of them. */
export function printFaults(faults: readonly Fault[]): void {
  for (const fault of faults) process.stderr.write(`${faultLine(fault)}\n`)
  process.stderr.write(`${faults.length} ${faults.length === 1 ? 'fault' : 'faults'} found.\n`)
}

/** The configuration of this process, or undefined after its faults were printed. */
export function configOrFaults(flags: Environment = {}): Config | undefined {
  const { config, faults } = readConfig(flags)
  if (config === undefined) printFaults(faults)
  return config
}
