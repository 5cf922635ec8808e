/** Runs a file through `src/bulk` in this process, with one thread and the default deployment. */
import { DEFAULT_FILE, type DeploymentSettings } from '../../src/config-schema.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { type Deployment, makeDeployments } from '../../src/catalog/deployment.ts'
import { type ErrorsFormat, type Format, formatOf, isTextFormat } from '../../src/bulk/format.ts'
import type { LinesRun } from '../../src/bulk/lines/prepare.ts'
import { scoreLines } from '../../src/bulk/lines/run.ts'
import type { Summary } from '../../src/bulk/summary.ts'
import type { TableReading } from '../../src/bulk/tables/table-reading.ts'
import { scoreTables } from '../../src/bulk/tables/table-run.ts'

export type FileRun = Pick<LinesRun, 'input' | 'to' | 'catalog' | 'today'> &
  Partial<Omit<LinesRun, 'from'>> & {
    readonly from: Format
    readonly reading?: Partial<TableReading>
  }

export const PLAIN_READING: TableReading = {
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

export async function scoreFile({ from, reading, ...options }: FileRun): Promise<Summary> {
  const run = {
    deployment: deploymentOf(options.catalog),
    output: undefined,
    compression: formatOf(options.output ?? '').compression,
    errors: undefined,
    errorsTo: formatOf(options.errors ?? '').written as ErrorsFormat | undefined,
    map: new Map<string, string>(),
    keep: [],
    isNumbered: false,
    threads: 1,
    isResumed: false,
    onProgress: () => undefined,
    ...options,
  }
  if (isTextFormat(from)) return scoreLines({ ...run, from })
  const { keep, map, isNumbered } = run
  const { summary } = await scoreTables({
    ...run,
    inputs: [{ path: run.input, format: from }],
    reading: { ...PLAIN_READING, keep, map, isNumbered, ...reading },
  })
  return summary
}

export function deploymentOf(catalog: Catalog, settings: Partial<DeploymentSettings> = {}): Deployment {
  const entry = { ...DEFAULT_FILE.deployments[0], ...settings } as DeploymentSettings
  return makeDeployments(catalog, [entry]).deployments[0] as Deployment
}
