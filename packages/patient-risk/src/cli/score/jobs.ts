/** The runs that a command asks for: one for all its inputs, or one for each, with the files that they write. */
import type { RunInput } from '@patient-risk/data/bulk'
import type { Deployment } from '@patient-risk/catalog'
import { formatOf, isTextFormat } from '@patient-risk/data/tables'
import { UsageError } from '../command.ts'
import { folderJobs } from './folder-jobs.ts'
import type { Job } from './job.ts'
import { errorsFormat, outputFormat, outputPaths, takenBy } from './output-paths.ts'
import type { ScoreValues } from './score-options.ts'

/** Jobs that an earlier run has finished are left out where it is resumed. `operands` are the inputs as they were named. */
export async function jobsFor(
  inputs: readonly RunInput[],
  operands: readonly string[],
  values: ScoreValues,
  { model, scorerOptions }: Deployment,
): Promise<readonly Job[]> {
  const { output, errors } = values
  const folder = values['output-dir']
  if (folder !== undefined) {
    if (output !== undefined || errors !== undefined)
      throw new UsageError('--output-dir takes the place of --output and --errors.')
    return folderJobs(inputs, operands, folder, values, [model.digest, scorerOptions])
  }
  if (inputs.length > 1 && inputs.some(({ format }) => isTextFormat(format)))
    throw new UsageError('Several JSON or NDJSON files need --output-dir.')
  const to = outputFormat(values.to, output)
  const paths = outputPaths(takenBy(inputs), output, errors)
  if (paths.output === undefined && to === 'parquet') throw new UsageError('Parquet needs --output FILE.')
  const compression = paths.output === undefined ? undefined : formatOf(output ?? '').compression
  return [
    {
      run: { inputs, ...paths, to, compression, errorsTo: errorsFormat(errors) },
      withState: (work) => work(),
    },
  ]
}
