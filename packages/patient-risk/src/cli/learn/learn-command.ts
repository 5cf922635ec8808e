/** What the commands of `patient-risk learn` share: the catalogue, the progress, and the messages of a refusal. */
import { resolve } from 'node:path'
import { systemClock } from '@patient-risk/runtime'
import { type GatherInput } from '@patient-risk/data/learn'
import { DataError } from '@patient-risk/data/tables'
import { EngineMissing } from '@patient-risk/data/tables'
import { CLINICAL_ROOT, isClinicalFolder, loadOrRefusal } from '../catalog/load-catalog.ts'
import {
  type Command,
  type OptionValues,
  type Options,
  Refusal,
  UsageError,
  command,
  printOutput,
} from '../command.ts'
import { ProgressBar } from '../progress-bar.ts'

export interface LearnContext extends Required<Pick<GatherInput, 'catalog' | 'today' | 'onStage'>> {
  /** Removes the progress bar and prints the output. */
  readonly print: typeof printOutput
}

/** `open` loads the catalogue, and the fields and models of the output's folder if one is named. */
export function learnCommand<const O extends Options>(
  options: O,
  run: (
    values: OptionValues<O>,
    open: (out?: string) => LearnContext,
    file: string | undefined,
  ) => number | Promise<number>,
): Command {
  return command(options, async (values, files) => {
    if (files.length > 1) throw new UsageError(`One file is expected, not ${files.join(' and ')}.`)
    using progress = new ProgressBar()
    try {
      return await run(values, (out) => contextFor(out, progress), files[0])
    } catch (error) {
      const isRefused = error instanceof DataError || error instanceof EngineMissing
      throw isRefused ? new Refusal(`${error.message}\nNothing was written.`) : error
    }
  })
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
