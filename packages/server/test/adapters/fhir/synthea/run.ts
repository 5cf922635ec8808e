/**
 * `npm run test:synthea`: 1,000 living patients of Synthea and those who died (`npm run test:synthea -- 120` takes another number).
 * `patient-risk fhir` scores them, each patient gets the number of `$score`, none gets a risk for a period that is over, problem lists in
 * SNOMED CT give Charlson items with a map and none without, and mechanical changes of their Bundles change no number. Without Synthea it
 * ends with one line.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../../../../../../test/support/random.ts'
import { start } from '../../../../../../test/support/run-command.ts'
import { KINDS } from '../mutations/kinds.ts'
import { MODELS, faultsBetween, numbersOf } from '../mutations/numbers.ts'
import { SERVER, TIME_ZONE, type Written } from '../mutations/true-bundles.ts'
import { type AnswerBundle, type Resource, TODAY, answerOf, bundle, sourceOf } from '../source.ts'
import { AS_OF, firstPatients, population } from './population.ts'

const PATIENTS = Number(process.argv[2] ?? 1_000)
/** The patients whose numbers are compared with `$score`, and whose Bundles are changed. */
const COMPARED = Math.min(PATIENTS, 200)
const CHANGED = 8
const SNOMED = 'http://snomed.info/sct'
const ICD = 'http://hl7.org/fhir/sid/icd-10'
/** A code of no group of diagnoses. */
const NO_GROUP = 'Z00.0'

const CLOCK = new Intl.DateTimeFormat('sv-SE', {
  timeZone: TIME_ZONE,
  dateStyle: 'short',
  timeStyle: 'medium',
})

const folder = population(PATIENTS)
if (folder === undefined)
  process.stdout.write(
    'skipped: Synthea (org.mitre.synthea, Maven Central, and Java) cannot be had or run here\n',
  )
else process.exitCode = (await checkAll(folder)) ? 0 : 1

async function checkAll(exported: string): Promise<boolean> {
  const work = mkdtempSync(join(tmpdir(), 'synthea-'))
  try {
    const patients = await firstPatients(exported, COMPARED)
    const checks = [
      await checkNumbers(exported, patients, work),
      checkOldPeriods(patients),
      checkSnomed(patients),
      await checkMaps(exported, patients, work),
      checkChanges(patients),
    ]
    return !checks.includes(false)
  } finally {
    rmSync(work, { recursive: true })
  }
}

type Risks = ReadonlyMap<string, number>

function riskOf(resource: Resource): number | undefined {
  const [first] = (resource['prediction'] ?? []) as { readonly probabilityDecimal?: number }[]
  return first?.probabilityDecimal
}

function patientOf(resource: Resource): string {
  return (resource['subject'] as { reference: string }).reference.replace(/^.*Patient\//, '')
}

/** The risks that the command gives, by the id of the patient. */
async function scoreExport(exported: string, model: string, output: string, site?: string): Promise<Risks> {
  const config = `${output}.json`
  const deployments = [{ name: 'synthea', basePath: '/', model, output: 'number' }]
  writeFileSync(config, JSON.stringify({ deployments, ...(site !== undefined && { clinical: [site] }) }))
  const began = performance.now()
  const words = ['fhir', exported, '--output', output, '--quiet', '--history', 'complete', '--as-of', AS_OF]
  const child = start(words, { CONFIG: config, PATH: process.env['PATH'] ?? '' })
  let notes = ''
  let peak = 0
  child.stderr?.on('data', (chunk: Buffer) => (notes += chunk.toString()))
  const watch = setInterval(() => (peak = Math.max(peak, peakOf(child.pid))), 200)
  const code = await new Promise((resolve) => child.on('close', resolve))
  clearInterval(watch)
  if (code !== 0) throw new Error(`patient-risk fhir ended with ${String(code)}: ${notes}`)
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  process.stdout.write(`${model}: ${notes.trim().split('\n').at(-1)} ${seconds} s, peak ${peak} MB\n`)
  const file = join(output, 'RiskAssessment.1.ndjson')
  // Without a risk there is no file.
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
  const assessments = lines.map((line) => JSON.parse(line) as Resource)
  return new Map(assessments.map((each) => [patientOf(each), riskOf(each) ?? NaN]))
}

function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024)
  } catch {
    return 0
  }
}

/** Whether every patient has the number that `$score` gives for all of its resources. */
async function checkNumbers(
  exported: string,
  patients: ReadonlyMap<string, readonly Resource[]>,
  work: string,
): Promise<boolean> {
  const risks = await scoreExport(exported, 'readmission30', join(work, 'readmission30'))
  const source = sourceOf('readmission30')
  let differing = 0
  let scored = 0
  for (const [id, resources] of patients) {
    const answer = answerOf(bundle(...resources), source, { history: 'complete', asOf: AS_OF })
    const { entry } = answer as unknown as AnswerBundle
    const [assessed] = entry.filter(({ resource }) => resource['resourceType'] === 'RiskAssessment')
    const risk = assessed === undefined ? undefined : riskOf(assessed.resource)
    if (risk !== undefined) scored++
    if (risk !== risks.get(id)) differing++
  }
  process.stdout.write(
    `compared with $score: ${patients.size} patients, ${scored} with a risk, ${differing} differ\n`,
  )
  return differing === 0 && scored > 0
}

/** What each patient gets: a risk, or the reasons why there is none. */
function answersOf(
  patients: ReadonlyMap<string, readonly Resource[]>,
  model: string,
  query: Readonly<Record<string, string>>,
): readonly { readonly assessed: Resource | undefined; readonly why: string }[] {
  const source = sourceOf(model)
  return [...patients.values()].map((resources) => {
    const { entry } = answerOf(bundle(...resources), source, query) as unknown as AnswerBundle
    const assessed = entry.find(({ resource }) => resource['resourceType'] === 'RiskAssessment')?.resource
    return { assessed, why: JSON.stringify(entry.map(({ resource }) => resource.issue ?? [])) }
  })
}

/** The living ones: Synthea writes when the others died. */
function livingOf(
  patients: ReadonlyMap<string, readonly Resource[]>,
): ReadonlyMap<string, readonly Resource[]> {
  const isLiving = (resources: readonly Resource[]): boolean =>
    resources.every((resource) => resource['deceasedDateTime'] === undefined)
  return new Map([...patients].filter(([, resources]) => isLiving(resources)))
}

/** Whether nobody gets a risk for a period that is over, where the call names no moment. */
function checkOldPeriods(patients: ReadonlyMap<string, readonly Resource[]>): boolean {
  const living = livingOf(patients)
  const answers = answersOf(living, 'readmission30', { history: 'complete' })
  const refused = answers.filter(({ why }) => why.includes('The period of the risk was over')).length
  const over = answers.filter(({ assessed }) => {
    const [first] = (assessed?.['prediction'] ?? []) as { readonly whenPeriod?: { readonly end: string } }[]
    return first?.whenPeriod !== undefined && Number(first.whenPeriod.end.replaceAll('-', '')) < TODAY
  })
  process.stdout.write(
    `without asOf: ${living.size} living patients, ${refused} refused because the period is over, ${over.length} risks for such a period\n`,
  )
  return over.length === 0
}

/** Whether a problem list in SNOMED CT gives no comorbidity without a map, and the reason says what to provide. */
function checkSnomed(patients: ReadonlyMap<string, readonly Resource[]>): boolean {
  const living = livingOf(patients)
  const [charlson = [], lace = []] = ['charlson10y', 'lace'].map((model) =>
    answersOf(living, model, { history: 'complete', asOf: AS_OF }),
  )
  const lacking = charlson.filter(({ assessed }) => assessed === undefined)
  const advised = lacking.filter(({ why }) => why.includes('fhir/maps')).length
  process.stdout.write(
    `SNOMED CT without a map: ${living.size} living patients, ${lacking.length} without Charlson (${advised} told to give a map), ` +
      `${lace.filter(({ assessed }) => assessed === undefined).length} without LACE\n`,
  )
  return advised > 0
}

/** Whether a map of the codes of the problem lists gives patients a Charlson risk that have none without it. */
async function checkMaps(
  exported: string,
  patients: ReadonlyMap<string, readonly Resource[]>,
  work: string,
): Promise<boolean> {
  const without = await scoreExport(exported, 'charlson10y', join(work, 'charlson'))
  const codes = new Set<string>()
  for (const line of readFileSync(join(exported, 'Condition.ndjson'), 'utf8').trimEnd().split('\n')) {
    const { code } = JSON.parse(line) as { code?: { coding?: { system: string; code: string }[] } }
    for (const coding of code?.coding ?? []) if (coding.system === SNOMED) codes.add(coding.code)
  }
  const site = join(work, 'site')
  mkdirSync(join(site, 'fhir', 'maps'), { recursive: true })
  const element = [...codes].map((code) => ({
    code,
    target: [{ code: NO_GROUP, equivalence: 'equivalent' }],
  }))
  const map = {
    resourceType: 'ConceptMap',
    status: 'active',
    group: [{ source: SNOMED, target: ICD, element }],
  }
  writeFileSync(join(site, 'fhir', 'maps', 'all.json'), JSON.stringify(map))
  const mapped = await scoreExport(exported, 'charlson10y', join(work, 'charlson-mapped'), site)
  process.stdout.write(
    `Charlson: ${without.size} patients without a map, ${mapped.size} with one of ${codes.size} codes\n`,
  )
  return mapped.size > without.size && patients.size > 0
}

/** Whether no change of a Bundle gives another number. */
function checkChanges(patients: ReadonlyMap<string, readonly Resource[]>): boolean {
  const faults: string[] = []
  let bundles = 0
  let stayed = 0
  for (const [id, resources] of patients) {
    const written = writtenOf(id, resources)
    const before = numbersOf(written)
    const known = Object.fromEntries([...before].map(([name, { risk }]) => [name, risk ?? NaN]))
    const models = MODELS.filter((name) => before.get(name)?.risk !== undefined)
    if (models.length === 0) continue
    bundles++
    for (const kind of KINDS) {
      const after = numbersOf(kind.change(written, new Random(bundles)), models)
      faults.push(
        ...faultsBetween(known, after, { mustStay: false }).map((fault) => `${id}, ${kind.name}: ${fault}`),
      )
      stayed += [...after.values()].filter(({ risk }) => risk !== undefined).length
    }
    if (bundles === CHANGED) break
  }
  const all = `${bundles} Bundles, ${KINDS.length} kinds, ${stayed} numbers stayed, ${faults.length} became others`
  process.stdout.write([`changes: ${all}`, ...faults.slice(0, 10)].join('\n') + '\n')
  return faults.length === 0 && bundles > 0
}

/**
 * As the changes know a Bundle: the patient is p1 with the number 17, entries have addresses, and times are those of the zone. Synthea
 * writes UTC, whose day is not that of the zone: without its time such a date would mean another day.
 */
function writtenOf(id: string, resources: readonly Resource[]): Written {
  const text = JSON.stringify(resources).replaceAll(id, 'p1')
  const local = text.replaceAll(/(?<="\d{4}-\d\d-)(\d\dT[\d:.]+)\+00:00"/g, '$1Z"')
  const named = JSON.parse(local, (_key, value: unknown) => inZone(value)) as readonly Resource[]
  const entry = named.map((resource) => ({
    fullUrl: `${SERVER}/${String(resource['resourceType'])}/${String(resource['id'])}`,
    resource:
      resource['resourceType'] === 'Patient'
        ? { ...resource, identifier: [{ system: 'urn:example:mrn', value: '17' }] }
        : resource,
  }))
  const body = { resourceType: 'Bundle', type: 'collection', entry }
  return { body, query: { history: 'complete', asOf: `${AS_OF}T12:00:00+01:00` } }
}

/** A time in UTC as the clocks of the zone show it, with their offset. */
function inZone(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return value
  const shown = CLOCK.format(new Date(value)).replace(' ', 'T')
  const minutes = Math.round((Date.parse(`${shown}Z`) - Date.parse(value)) / 60_000)
  const offset = new Date(minutes * 60_000).toISOString().slice(11, 16)
  return `${shown}+${offset}`
}
