/** One instance of the service with jobs, for tests that kill it: it says where it listens, and has short leases. */
import { DEFAULT_FILE, DEFAULT_SERVER_SETTINGS, jobSettings } from '@patient-risk/catalog/config'
import { makeDeployments } from '@patient-risk/catalog'
import { systemClock } from '@patient-risk/runtime'
import { Metrics, createServer } from '@patient-risk/server'
import { createLog } from '@patient-risk/server/log'
import { makeKey, openStore } from '@patient-risk/server/store'
import { tableRunner } from '../../src/jobs/table-runner.ts'
import { testCatalog } from '../../../../test/support/serve.ts'

const [dataDir = '', folder = '', databaseUrl] = process.argv.slice(2)
const LIMITLESS = { limits: { requestsPerMinute: null, recordsPerMinute: null } }
const catalog = testCatalog()
const { store, secrets } = await openStore(dataDir, 'a secret of the tests of jobs', databaseUrl)
const app = await createServer({
  catalog,
  deployments: makeDeployments(
    catalog,
    DEFAULT_FILE.deployments.map((each) => ({ ...each, ...LIMITLESS })),
  ).deployments,
  store,
  secrets,
  clock: systemClock(undefined),
  log: createLog('error'),
  metrics: new Metrics(catalog.domains.keys()),
  settings: DEFAULT_SERVER_SETTINGS,
  jobs: {
    settings: jobSettings({ folder }),
    runner: tableRunner,
    worker: { leaseMs: 300, pollMs: 20, keepEveryMs: 0 },
  },
})
const origin = await app.listen({ host: '127.0.0.1', port: 0 })
const { key } = await makeKey(
  store,
  secrets,
  { name: 'jobs', scopes: ['*', 'admin'], expiresAt: null },
  Date.now(),
)
process.stdout.write(`${JSON.stringify({ origin, key })}\n`)
