/** One command of `patient-risk learn`: its table of options gives the parser, the checks and the help text. */
import { resolve } from 'node:path'
import { systemClock } from '../../clock.ts'
import { DataError } from '../../learn/data/data-error.ts'
import type { GatherInput } from '../../learn/data/gather.ts'
import { EngineMissing } from '../../tables/engine.ts'
import { CLINICAL_ROOT, isClinicalFolder, loadOrRefusal } from '../catalog/load-catalog.ts'
import { Refusal, UsageError, parseArguments, printOutput } from '../command.ts'
import { ProgressBar } from '../progress-bar.ts'

const isShare = (number: number): boolean => number > 0 && number < 1
/** The numbers that each kind of option takes. A threshold of 0 or 1 would flag everybody or nobody. */
const NUMBERS = {
  N: [(number: number) => Number.isInteger(number) && number >= 0, 'a whole number, 0 or more'],
  RISK: [isShare, 'a risk between 0 and 1, for example 0.15'],
  SHARE: [isShare, 'a share between 0 and 1'],
  R2: [Number.isFinite, 'a number'],
  C: [Number.isFinite, 'a number'],
  INDEX: [Number.isFinite, 'a number'],
} as const
type NumberWord = keyof typeof NUMBERS

/** The word after an option in the help text also says what it takes: a flag has none, and most take a text. */
export type Options = Readonly<Record<string, readonly [word: string, help: string]>>
type Kinds = Readonly<Record<NumberWord, number>> & {
  readonly '': boolean
  readonly COLUMNS: readonly string[]
}
type Value<Word extends string> = Word extends keyof Kinds ? Kinds[Word] : string
export type Values<T extends Options, R extends keyof T = never> = {
  readonly [Name in Exclude<keyof T, R>]?: Value<T[Name][0]>
} & { readonly [Name in R]: Value<T[Name][0]> }

export interface LearnContext extends Required<Pick<GatherInput, 'catalog' | 'today' | 'onStage'>> {
  /** Removes the progress bar and prints the output. */
  readonly print: typeof printOutput
}

interface LearnCommand<T extends Options, R extends keyof T & string> {
  /** The usage after `patient-risk learn`; a second one on its own line. */
  readonly usage: string
  readonly about: string
  readonly options: T
  readonly required: readonly R[]
  /** Printed after the options. */
  readonly note?: string
  readonly codes?: string
  /** Whether a file may stand among the options. */
  readonly takesFile?: true
  /** `open` loads the catalogue, and the fields and models of the output's folder if one is named. */
  readonly run: (
    values: Values<T, R>,
    open: (out?: string) => LearnContext,
    file: string | undefined,
  ) => Promise<number>
}

const CODES =
  'Exit codes: 0 done, 1 the data or the specification are refused and nothing was written, 2 wrong usage.'

export function learnCommand<const T extends Options, const R extends keyof T & string>(
  command: LearnCommand<T, R>,
): { readonly help: string; readonly run: (args: readonly string[]) => Promise<number> } {
  const { usage, about, options, required, note = '', codes = CODES, takesFile = false, run } = command
  const lines = Object.entries(options).map(([name, [word, help]]) => {
    const option = `  --${name} ${word === 'COLUMNS' ? 'COLUMN' : word}`
    return `${option.padEnd(24)}${help}\n`
  })
  const usages = usage.replaceAll('\n', '\n       ').replaceAll('learn', 'patient-risk learn')
  return {
    help: `Usage: ${usages}\n\n${about}\n\nOptions:\n${lines.join('')}${note}\n${codes}`,
    async run(args) {
      const { values, file } = parse(args, options, required, takesFile)
      using progress = new ProgressBar()
      try {
        return await run(values as Values<T, R>, (out) => contextFor(out, progress), file)
      } catch (error) {
        const isRefused = error instanceof DataError || error instanceof EngineMissing
        throw isRefused ? new Refusal(`${error.message}\nNothing was written.`) : error
      }
    },
  }
}

function parse(
  args: readonly string[],
  options: Options,
  required: readonly string[],
  takesFile: boolean,
): { readonly values: object; readonly file: string | undefined } {
  const kinds = Object.groupBy(Object.keys(options), (name) => {
    const word = options[name]?.[0]
    return word === '' ? 'flags' : word === 'COLUMNS' ? 'lists' : 'texts'
  })
  const { values: given, positionals } = parseArguments(args, kinds, takesFile)
  const values: Readonly<Record<string, unknown>> = given
  if (positionals.length > 1) throw new UsageError(`One file is expected, not ${positionals.join(' and ')}.`)
  const lost = required.find((name) => values[name] === undefined)
  if (lost !== undefined) throw new UsageError(`--${lost} is required.`)
  const read = Object.entries(values).map(([name, value]) => {
    const word = options[name]?.[0] ?? ''
    if (typeof value !== 'string' || !(word in NUMBERS)) return [name, value] as const
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number)) throw new UsageError(`--${name} takes a number.`)
    const [holds, takes] = NUMBERS[word as NumberWord]
    if (!holds(number)) throw new UsageError(`--${name} takes ${takes}.`)
    return [name, number] as const
  })
  return { values: Object.fromEntries(read), file: positionals[0] }
}

function contextFor(out: string | undefined, progress: ProgressBar): LearnContext {
  const own = out === undefined ? CLINICAL_ROOT : resolve(out)
  const { catalog, config } = loadOrRefusal({}, (folders) =>
    isClinicalFolder(own) && ![CLINICAL_ROOT, ...folders].includes(own) ? [...folders, own] : folders,
  )
  return {
    catalog,
    today: systemClock(config.timeZone).today(),
    onStage: (stage, done, of) => progress.show({ records: undefined, share: done / of }, stage),
    print(...output) {
      progress[Symbol.dispose]()
      return printOutput(...output)
    },
  }
}
