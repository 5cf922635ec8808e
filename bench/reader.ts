/**
 * `npm run bench:reader`: what a record costs in process: clean, with a fault, clean by the reference, and with codes of the sender as
 * texts and as numbers; without a server around it.
 */
import { fileURLToPath } from 'node:url'
import { makeDeployments, loadCatalog } from '@patient-risk/catalog'
import type { Scorer } from 'patient-risk-engine'
import { SHAPES, loadPlan, makePayload } from './payloads.ts'

const RECORDS = 1_000
const BODIES = 600
const TODAY = 20260101
const FAULTY_SHARE = 0.05

const { catalog } = loadCatalog([fileURLToPath(new URL('../clinical', import.meta.url))])
if (catalog === undefined) throw new Error('the clinical data do not load')
const { deployments } = makeDeployments(
  catalog,
  [
    ...(['bytes', 'reference'] as const).map((reader) => ({ name: reader, reader })),
    { name: 'coded', codes: { sex: { W: 'F', H: 'M', D: 'X', 1: 'M', 2: 'F', 3: 'X' } } },
  ].map((each) => ({ ...each, basePath: `/${each.name}`, model: 'readmission30', output: 'number' })),
)
const [bytes, reference, coded] = deployments.map(({ scorer }) => scorer)
if (bytes === undefined || reference === undefined || coded === undefined)
  throw new Error('the deployments cannot be made')
const plan = loadPlan()
for (const shape of SHAPES) {
  const body = makePayload(plan, shape, RECORDS, false)
  const clean = microseconds(bytes, body)
  const faulty = microseconds(bytes, makePayload(plan, shape, RECORDS, true))
  const ofFault = clean + (faulty - clean) / FAULTY_SHARE
  const byReference = microseconds(reference, body)
  const asTexts = microseconds(coded, withCodes(body, { F: '"W"', M: '"H"', X: '"D"' }))
  const asNumbers = microseconds(coded, withCodes(body, { F: '2', M: '1', X: '3' }))
  process.stdout.write(
    `${shape}: clean ${clean.toFixed(2)} µs a record, with a fault ${ofFault.toFixed(1)} µs, by the reference ${byReference.toFixed(1)} µs, ` +
      `codes as texts ${asTexts.toFixed(2)} µs, as numbers ${asNumbers.toFixed(2)} µs\n`,
  )
}

/** The same records with another code for each sex. */
function withCodes(body: Uint8Array, codes: Readonly<Record<string, string>>): Uint8Array {
  const text = Buffer.from(body).toString()
  return Buffer.from(
    text.replace(/("sex": ?)"([FMX])"/g, (_all, key: string, sex: string) => key + (codes[sex] ?? '')),
  )
}

/** Processor time for a record of this body, its code compiled. */
function microseconds({ score }: Scorer, body: Uint8Array): number {
  for (let round = 0; round < BODIES / 4; round++) score(body, TODAY)
  const before = process.cpuUsage()
  for (let round = 0; round < BODIES; round++) score(body, TODAY)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / (BODIES * RECORDS)
}
