/** `npm run bench:reader`: what a record costs in process, clean and with a fault, without a server around it. */
import { fileURLToPath } from 'node:url'
import { makeDeployments } from '../src/catalog/deployment.ts'
import { loadCatalog } from '../src/catalog/load.ts'
import { SHAPES, loadPlan, makePayload } from './payloads.ts'

const RECORDS = 1_000
const BODIES = 600
const TODAY = 20260101
const FAULTY_SHARE = 0.05

const { catalog } = loadCatalog([fileURLToPath(new URL('../clinical', import.meta.url))])
if (catalog === undefined) throw new Error('the clinical data do not load')
const { deployments } = makeDeployments(catalog, [
  { name: 'bench', basePath: '/', model: 'readmission30', output: 'number' },
])
const scorer = deployments[0]?.scorer
if (scorer === undefined) throw new Error('the deployment cannot be made')
const plan = loadPlan()
for (const shape of SHAPES) {
  const clean = microseconds(makePayload(plan, shape, RECORDS, false))
  const faulty = microseconds(makePayload(plan, shape, RECORDS, true))
  const ofFault = clean + (faulty - clean) / FAULTY_SHARE
  process.stdout.write(
    `${shape}: clean ${clean.toFixed(2)} µs a record, with a fault ${ofFault.toFixed(1)} µs\n`,
  )
}

/** Processor time for a record of this body, its code compiled. */
function microseconds(body: Uint8Array): number {
  for (let round = 0; round < BODIES / 4; round++) scorer?.score(body, TODAY)
  const before = process.cpuUsage()
  for (let round = 0; round < BODIES; round++) scorer?.score(body, TODAY)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / (BODIES * RECORDS)
}
