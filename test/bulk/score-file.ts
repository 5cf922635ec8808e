/** Runs a file through the bulk room in this process, with one thread and the default deployment. */
import { DEFAULT_FILE, type DeploymentSettings } from '../../src/config-file.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { type Deployment, makeDeployments } from '../../src/catalog/deployment.ts'
import { type ErrorsFormat, formatOf } from '../../src/bulk/format.ts'
import type { RunOptions } from '../../src/bulk/options.ts'
import { run } from '../../src/bulk/run.ts'
import type { Summary } from '../../src/bulk/summary.ts'

export function scoreFile(
  options: Pick<RunOptions, 'input' | 'from' | 'to' | 'catalog' | 'today'> & Partial<RunOptions>,
): Promise<Summary> {
  return run({
    deployment: deploymentOf(options.catalog),
    output: undefined,
    gzip: options.output?.endsWith('.gz') === true,
    errors: undefined,
    errorsTo: formatOf(options.errors ?? '').written as ErrorsFormat | undefined,
    map: new Map(),
    keep: [],
    isNumbered: false,
    delimiter: undefined,
    hasDecimalComma: false,
    threads: 1,
    isResumed: false,
    onProgress: () => undefined,
    ...options,
  })
}

export function deploymentOf(catalog: Catalog, settings: Partial<DeploymentSettings> = {}): Deployment {
  const entry = { ...DEFAULT_FILE.deployments[0], ...settings } as DeploymentSettings
  return makeDeployments(catalog, [entry]).deployments[0] as Deployment
}
