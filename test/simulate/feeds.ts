/**
 * The watch of feeds on invented hospitals: after how many records a feed that means something else is named, and how many right feeds
 * are doubted. Records come in bodies of 50, as a service gets them. All fields are sent.
 */
import { fileURLToPath } from 'node:url'
import { loadCatalog } from '@patient-risk/catalog'
import { type FeedDoubt, Feed, RecordCollector } from '@patient-risk/monitor'
import { randomFrom } from '@patient-risk/statistics'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { Assessor, compileModel, makePlan } from 'patient-risk-engine'
import { type WrongFeed, WRONG_FEEDS, isWrong, sentAs, withinOf } from './feeds/catalogue.ts'
import { type PatientRecord, blocksOf, patientsOf } from './feeds/patients.ts'
import { type SimulateOptions, type Table, isChosen } from './table.ts'

const BODY = 50
const TODAY = 20261118
const OPTIONS = { today: TODAY, reportUnknown: false, maxKeys: 1_000 }
/** Ten years of 20 records a day. */
const TEN_YEARS = 73_000

const { catalog } = loadCatalog([fileURLToPath(new URL('../../clinical', import.meta.url))])
if (catalog === undefined) throw new Error('the clinical data do not load')

/** The newest version of a model. */
function modelOf(id: string): ModelDefinition | undefined {
  return [...(catalog?.models.values() ?? [])]
    .map(({ definition }) => definition)
    .findLast((each) => each.id === id)
}

interface Watcher {
  readonly collector: RecordCollector
  readonly assessor: Assessor
}

function watcherOf(id: string): Watcher {
  const model = modelOf(id)
  if (catalog === undefined || model === undefined) throw new Error(`there is no model ${id}`)
  const { definitions } = catalog
  const plan = makePlan(definitions, model)
  const collector = new RecordCollector({ definitions, model })
  return { collector, assessor: new Assessor(plan, compileModel(model, plan)) }
}

const READMISSION = watcherOf('readmission30')

export interface Named extends FeedDoubt {
  /** The records after which it was named. */
  readonly after: number
}

/** What a new feed of these records is doubted for. */
export function doubtsOf(records: readonly PatientRecord[]): readonly Named[] {
  const { collector, assessor } = READMISSION
  const named: Named[] = []
  let after = 0
  const note = (doubt: FeedDoubt): void => {
    if (!named.some(({ field }) => field === doubt.field)) named.push({ ...doubt, after })
  }
  const feed = new Feed(collector.plan, note)
  for (let start = 0; start < records.length; start += BODY) {
    const body = records.slice(start, start + BODY)
    after = start + body.length
    collector.begin()
    for (const record of body) {
      const result = assessor.assess(record, 0, OPTIONS)
      collector.see(assessor.slots, result)
      if (assessor.slots.faulty) collector.seeRefused(assessor.slots)
    }
    const taken = collector.taken()
    if (taken === undefined) continue
    for (const [field] of taken.codes) note({ field, doubt: 'codes' })
    feed.observeBody(taken.seen)
    collector.reuse(taken.seen)
  }
  return named
}

export interface FeedRun {
  readonly feed: WrongFeed
  /** For each hospital the records after which a wrong field was named; Infinity where none was. */
  readonly after: readonly number[]
  /** The kinds of doubt, the commonest first. */
  readonly kinds: readonly string[]
}

export function runsOf(feeds: readonly WrongFeed[], sites: number): readonly FeedRun[] {
  return feeds.map((feed) => {
    const kinds = new Map<string, number>()
    const after = Array.from({ length: sites }, (_, site) => {
      const found = doubtsOf(sentAs(feed, site)).filter(({ field }) => isWrong(feed, field))
      for (const { doubt } of found) kinds.set(doubt, (kinds.get(doubt) ?? 0) + 1)
      return Math.min(Infinity, ...found.map(({ after: records }) => records))
    })
    const byCount = [...kinds].sort(([, one], [, other]) => other - one)
    return { feed, after, kinds: byCount.map(([kind]) => kind) }
  })
}

/** How many right feeds are doubted, of so many hospitals. */
export function falselyDoubted(
  sites: number,
  records: number,
  draw: (site: number, count: number) => readonly PatientRecord[],
): number {
  let doubted = 0
  for (let site = 0; site < sites; site++) if (doubtsOf(draw(10_000 + site, records)).length > 0) doubted++
  return doubted
}

/** Records of the inputs of a model, drawn from the profile of its development data. */
export function profiledOf(site: number, count: number): readonly PatientRecord[] {
  const inputs = modelOf('readmission30')?.profile?.inputs ?? {}
  const random = randomFrom(300_000 + site)
  return Array.from({ length: count }, (_, index) => {
    const record: Record<string, unknown> = { idx: index + 1 }
    for (const [field, input] of Object.entries(inputs)) {
      const shares = 'codes' in input ? Object.values(input.codes) : input.shares
      let left = random()
      let bin = 0
      while (bin < shares.length - 1 && left >= (shares[bin] ?? 0)) left -= shares[bin++] ?? 0
      if ('codes' in input) {
        record[field] = Object.keys(input.codes)[bin]
        continue
      }
      const from = input.cuts[bin - 1] ?? input.from ?? 0
      const last = random() < 0.95 ? input.p99 : input.to
      const to = input.cuts[bin] ?? Math.max(from, last ?? from) + 1
      // The highest bin is open: values in it become rarer.
      const place = input.cuts[bin] === undefined ? random() ** 2 : random()
      record[field] = Math.floor(from + place * (to - from))
    }
    return record
  })
}

/** Each table as soon as it is made. `share` is that of the hospitals. */
export function* simulate({ reduced, share = 1, table, only }: SimulateOptions): Generator<Table> {
  const of = (full: number): number => Math.ceil(share * full)
  const sites = reduced ? 3 : of(20)
  const right = reduced ? 5 : of(200)
  const many = reduced ? 2 : of(100)
  const long = reduced ? 1 : of(20)
  const rows: readonly (readonly [string, number, number, typeof patientsOf])[] = [
    ['patients once', right, 200, patientsOf],
    ['patients once', right, 1_000, patientsOf],
    ['patients once', many, 10_000, patientsOf],
    ['one to seven records of each patient', many, 10_000, blocksOf],
    ['one to seven records of each patient', long, reduced ? 2_000 : TEN_YEARS, blocksOf],
    ['the profile of readmission30', many, 10_000, profiledOf],
  ]
  if (table === undefined || table === 1) yield wrongFeeds(sites, only)
  if (table === undefined || table === 2)
    yield {
      title: 'Right feeds that are doubted',
      head: ['records', 'of each feed', 'feeds', 'doubted'],
      rows: rows.map(([name, feeds, records, draw]) => [
        name,
        records.toLocaleString('en'),
        String(feeds),
        String(falselyDoubted(feeds, records, draw)),
      ]),
    }
}

function wrongFeeds(sites: number, only: SimulateOptions['only']): Table {
  const feeds = WRONG_FEEDS.filter(({ id }) => isChosen(id, only))
  return {
    title: `Feeds that mean something else, ${sites} hospitals each: records after which a wrong field is named`,
    head: ['feed', 'what', 'wrong fields', 'named', 'median', 'latest', 'doubts'],
    rows: runsOf(feeds, sites).map(({ feed, after, kinds }) => {
      const sorted = [...after].sort((one, other) => one - other)
      const named = sorted.filter((records) => records < Infinity)
      return [
        `${feed.id}${withinOf(feed) === 200 ? '' : ` (${withinOf(feed)})`}`,
        feed.what,
        feed.fields.map((field) => `\`${field}\``).join(', '),
        `${named.length} of ${sites}`,
        String(named[Math.floor(named.length / 2)] ?? '–'),
        String(named.at(-1) ?? '–'),
        kinds.map((kind) => `\`${kind}\``).join(', '),
      ]
    }),
  }
}
