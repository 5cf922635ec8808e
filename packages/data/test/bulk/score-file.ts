/** Runs a file through `packages/data/src/bulk` in this process, with one thread and the default deployment. */
import { DEFAULT_FILE, type DeploymentSettings } from '@patient-risk/catalog/config'
import { type Catalog, type Deployment, makeDeployments } from '@patient-risk/catalog'
import { scoreLines } from '../../src/bulk/lines/score-lines.ts'
import type { ScoreRun } from '../../src/bulk/run.ts'
import type { Summary } from '../../src/bulk/summary.ts'
import { scoreTables } from '../../src/bulk/tables/score-tables.ts'
import type { ColumnOptions } from '../../src/bulk/tables/table-source.ts'
import { type ErrorsFormat, type Format, formatOf, isTextFormat } from '../../src/tables/formats.ts'

export type FileRun = Pick<ScoreRun, 'to' | 'catalog' | 'today'> &
  Partial<Omit<ScoreRun, 'inputs' | 'columnOptions'>> & {
    readonly input: string
    readonly from: Format
    readonly keep?: readonly string[]
    readonly columnOptions?: Partial<ColumnOptions>
  }

export const PLAIN_COLUMNS: ColumnOptions = {
  map: new Map(),
  rules: {},
  missing: [],
  id: undefined,
  isNumbered: false,
  keep: [],
  delimiter: undefined,
  encoding: undefined,
  decimal: undefined,
  dates: undefined,
}

export async function scoreFile({ input, from, keep, columnOptions, ...options }: FileRun): Promise<Summary> {
  const run: ScoreRun = {
    deployment: deploymentOf(options.catalog),
    inputs: [{ path: input, format: from }],
    output: undefined,
    compression: formatOf(options.output ?? '').compression,
    errors: undefined,
    errorsTo: formatOf(options.errors ?? '').written as ErrorsFormat | undefined,
    columnOptions: { ...PLAIN_COLUMNS, keep: keep ?? [], ...columnOptions },
    parts: [],
    threads: 1,
    isResumed: false,
    onProgress: () => undefined,
    ...options,
  }
  const { summary } = await (isTextFormat(from) ? scoreLines(run) : scoreTables(run))
  return summary
}

export function deploymentOf(catalog: Catalog, settings: Partial<DeploymentSettings> = {}): Deployment {
  const entry = { ...DEFAULT_FILE.deployments[0], ...settings } as DeploymentSettings
  return makeDeployments(catalog, [entry]).deployments[0] as Deployment
}
