/** What a command is, and how its words are read. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
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
  /** Returns the exit code: 0 for success, 1 for a refused input. Throws a UsageError for wrong words. */
  run(words: readonly string[]): number | Promise<number>
}

/** The words of a command make no sense: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export function readWords<T extends ParseArgsOptionsConfig>(
  words: readonly string[],
  options: T,
  allowPositionals = false,
): ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: allowPositionals as true, strict: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
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
