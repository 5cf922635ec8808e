/**
 * Feeds that mean something else, through the real interfaces: the service over HTTP, as a stream, through FHIR and CDS Hooks, `score` on
 * files, the statement of `sql --doubts` in DuckDB, and a list on the page. A feed is named where one of its wrong fields is in doubt.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { makeDeployments } from '@patient-risk/catalog'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { type ScoringDispatcher, openDispatcher } from '@patient-risk/server'
import { adapterRoutes, serviceWorker } from '@patient-risk/server/adapters'
import { mapping } from '../support/mapping.ts'
import { build } from 'esbuild'
import { runHere } from '../support/run-command.ts'
import { SCORE, type Served, serve, testCatalog } from '../support/serve.ts'
import { type WrongFeed, WRONG_FEEDS, isWrong, sentAs, withinOf } from './feeds/catalogue.ts'
import { type PatientRecord, patientsOf } from './feeds/patients.ts'
import { type Resource, DISCHARGE, resourcesOf } from './feeds/resources.ts'
import { type SimulateOptions, type Table, isChosen } from './table.ts'

/** Fields that a patient and a stay carry, without an Observation. */
const OF_STAYS: readonly string[] = ['sex', 'stayDays']
/** Records are scored by this model; FHIR and CDS Hooks take the one that reads most fields beside a wrong one. */
const MODEL = 'readmission30'
const MODELS = [MODEL, 'walter', 'profund', 'hospital', 'inouye', 'lace', 'charlson10y'] as const
const BODY = 50
/** Assessments of the invented patients lie before this moment. */
const NOW = '2026-11-18T12:00:00Z'
const LINES = 'application/x-ndjson'
const JSON_BODY = 'application/json'
export const ENTRANCES = [
  'HTTP',
  'stream',
  'NDJSON file',
  'CSV file',
  'SQL',
  'page',
  'FHIR',
  'CDS Hooks',
] as const
export type Entrance = (typeof ENTRANCES)[number]

/** What an entrance said of one feed. */
export interface Found {
  /** The fields in doubt, each with the records after which it was named. */
  readonly named: ReadonlyMap<string, number>
  /** The fields of the problems of the first record that has any; undefined where none has, or where records have no answers. */
  readonly firstProblems?: readonly string[] | undefined
}

/** Scores a list as the page does. It lies in another package, whose sources only a browser needs. */
type PageList = (
  origin: string,
  key: string,
  deployment: string,
  text: string,
) => Promise<Found & { readonly stopped: readonly string[] }>

export class Entrances {
  private readonly service: Served
  private readonly dispatcher: ScoringDispatcher
  private readonly folder = mkdtempSync(join(tmpdir(), 'feed-entrances-'))
  private pageList: PageList | undefined
  private readonly statements = new Map<string, string>()
  private files = 0

  private constructor(service: Served, dispatcher: ScoringDispatcher) {
    this.service = service
    this.dispatcher = dispatcher
  }

  static async open(): Promise<Entrances> {
    const deployments = MODELS.map((model): DeploymentSettings => {
      const basePath = model === MODEL ? '/' : `/${model}`
      return {
        name: model,
        basePath,
        model,
        output: 'number',
        cdsHooks: { hooks: ['patient-view'] },
      }
    })
    const { deployments: made } = makeDeployments(testCatalog(), deployments)
    const dispatcher = openDispatcher(testCatalog(), made, { threads: 1, worker: serviceWorker(mapping) })
    const adapters = adapterRoutes(mapping, true, {})
    const service = await serve({ deployments, isOverSocket: true, service: { adapters, dispatcher } })
    service.clock.set(NOW)
    return new Entrances(service, dispatcher)
  }

  async close(): Promise<void> {
    rmSync(this.folder, { recursive: true })
    await this.service.close()
    await this.dispatcher.close()
  }

  /** What each site's records gave. Undefined where the entrance cannot carry the feed. */
  async ask(
    entrance: Entrance,
    feed: WrongFeed,
    sites: readonly (readonly PatientRecord[])[],
  ): Promise<readonly Found[] | undefined> {
    if (entrance === 'NDJSON file') return this.score('ndjson', sites.map(linesOf))
    if (entrance === 'CSV file') return this.score('csv', sites.map(csvOf))
    const found: Found[] = []
    for (const records of sites) {
      const each = await this.askOne(entrance, feed, records)
      if (each === undefined) return undefined
      found.push(each)
    }
    return found
  }

  private async askOne(
    entrance: Exclude<Entrance, 'NDJSON file' | 'CSV file'>,
    feed: WrongFeed,
    records: readonly PatientRecord[],
  ): Promise<Found | undefined> {
    switch (entrance) {
      case 'HTTP':
        return this.http(records)
      case 'stream':
        return this.stream(records)
      case 'SQL':
        return this.sql(records)
      case 'page':
        return this.page(records)
      case 'FHIR':
        return this.fhir(feed, records)
      case 'CDS Hooks':
        return this.hooks(feed, records)
    }
  }

  private async http(records: readonly PatientRecord[]): Promise<Found> {
    const key = await this.service.makeKey()
    const named = new Map<string, number>()
    const results: Result[] = []
    for (let start = 0; start < records.length; start += BODY) {
      const body = records.slice(start, start + BODY)
      const answer = await this.post(key, SCORE, JSON.stringify(body))
      noteHeader(named, answer, start + body.length)
      results.push(...((await answer.json()) as readonly Result[]))
    }
    return { named, firstProblems: firstProblemsOf(results) }
  }

  /** The header of a stream is written before its records are read: the next call has it. */
  private async stream(records: readonly PatientRecord[]): Promise<Found> {
    const key = await this.service.makeKey()
    const results = resultsIn(await (await this.post(key, SCORE, linesOf(records), LINES)).text())
    const after = await this.post(key, SCORE, linesOf(records.slice(0, 1)), LINES)
    await after.text()
    const named = new Map<string, number>()
    noteHeader(named, after, records.length)
    return { named, firstProblems: firstProblemsOf(results) }
  }

  private post(key: string, path: string, body: string, type = JSON_BODY): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type }
    return fetch(this.service.origin + path, { method: 'POST', headers, body })
  }

  /** One command scores the files of all sites. A file that another reading would take stops it: then each is scored alone. */
  private async score(type: string, texts: readonly string[]): Promise<readonly Found[]> {
    const folder = join(this.folder, String(this.files++))
    mkdirSync(folder)
    const names = texts.map((text, site) => {
      const name = `site${site}.${type}`
      writeFileSync(join(folder, name), text)
      return name
    })
    const output = join(folder, 'scored')
    const args = ['--model', MODEL, '--to', 'ndjson', '--output-dir', output]
    const { code, err } = await runHere(['score', ...names.map((name) => join(folder, name)), ...args])
    if (code === 1 && texts.length > 1) {
      const alone: Found[] = []
      for (const text of texts) alone.push(...(await this.score(type, [text])))
      return alone
    }
    return names.map((name, site) => {
      const records = (texts[site] ?? '').split('\n').length - 1 - Number(type === 'csv')
      const fields = code === 1 ? stoppedBy(err) : doubtedIn(err, name)
      const results = code === 1 ? [] : resultsIn(readFileSync(join(output, `site${site}.ndjson`), 'utf8'))
      return {
        named: new Map(fields.map((field) => [field, records])),
        firstProblems: firstProblemsOf(results),
      }
    })
  }

  private async sql(records: readonly PatientRecord[]): Promise<Found> {
    const file = join(this.folder, `${this.files++}.csv`)
    writeFileSync(file, csvOf(records))
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    try {
      // Dates stay texts, as the sender wrote them.
      const dates = Object.keys(records[0] ?? {}).filter((name) => name.endsWith('_date'))
      const types = dates.map((name) => `'${name}': 'VARCHAR'`).join(', ')
      await connection.run(
        `CREATE TABLE patients AS FROM read_csv('${file}', sample_size = -1, types = {${types}})`,
      )
      const columns = await connection.runAndReadAll('DESCRIBE patients')
      const named = columns
        .getRowObjectsJson()
        .map(({ column_name: name, column_type: type }) => `${textOf(name)}:${typeOf(textOf(type))}`)
      const rows = await connection.runAndReadAll(await this.statement(named.join(',')))
      return { named: new Map(rows.getRowObjectsJson().map(({ field }) => [textOf(field), records.length])) }
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  }

  /** The statement for a table of these columns. */
  private async statement(columns: string): Promise<string> {
    const known = this.statements.get(columns)
    if (known !== undefined) return known
    const args = ['sql', '--dialect', 'duckdb', '--model', MODEL, '--table', 'patients', '--doubts']
    const { out, err, code } = await runHere([...args, '--columns', columns])
    if (code !== 0) throw new Error(err)
    this.statements.set(columns, out)
    return out
  }

  private async page(records: readonly PatientRecord[]): Promise<Found> {
    this.pageList ??= await this.buildPage()
    const key = await this.service.makeKey()
    const found = await this.pageList(this.service.origin, key, MODEL, csvOf(records))
    const stopped = found.stopped.map((field) => [field, 0] as const)
    return { ...found, named: new Map([...found.named, ...stopped]) }
  }

  /** The sources of the page, bundled as for a browser. */
  private async buildPage(): Promise<PageList> {
    const entry = fileURLToPath(
      new URL('../../packages/workbench/test/list-without-browser.ts', import.meta.url),
    )
    const outfile = join(this.folder, 'page.mjs')
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'error',
    })
    const { scoreOnPage } = (await import(pathToFileURL(outfile).href)) as { readonly scoreOnPage: PageList }
    return scoreOnPage
  }

  private async fhir(feed: WrongFeed, records: readonly PatientRecord[]): Promise<Found | undefined> {
    const asked = this.asResources(feed, records)
    if (asked === undefined) return undefined
    const key = await this.service.makeKey()
    const named = new Map<string, number>()
    const base = asked.model === MODEL ? '' : `/${asked.model}`
    for (let start = 0; start < asked.patients.length; start += BODY) {
      const patients = asked.patients.slice(start, start + BODY)
      const body = JSON.stringify({
        resourceType: 'Bundle',
        type: 'collection',
        entry: entriesOf(patients.flat()),
      })
      const path = `${base}/fhir/$score?asOf=${DISCHARGE}&history=complete`
      const answer = await this.post(key, path, body, 'application/fhir+json')
      if (answer.status !== 200) throw new Error(await answer.text())
      await answer.text()
      noteHeader(named, answer, start + patients.length)
    }
    return { named }
  }

  private async hooks(feed: WrongFeed, records: readonly PatientRecord[]): Promise<Found | undefined> {
    const asked = this.asResources(feed, records)
    if (asked === undefined) return undefined
    const listed = (await (await fetch(`${this.service.origin}/cds-services`)).json()) as {
      readonly services: readonly {
        readonly id: string
        readonly prefetch: Readonly<Record<string, string>>
      }[]
    }
    const { prefetch = {} } = listed.services.find(({ id }) => id === asked.model) ?? {}
    // A model that asks for stays alone counts them, so that the counts of a sender cannot be wrong there.
    const isAskedFor = Object.values(prefetch).some((search) => search.startsWith('Observation'))
    if (!isAskedFor && !feed.fields.every((field) => OF_STAYS.includes(field))) return undefined
    const key = await this.service.makeKey()
    const named = new Map<string, number>()
    for (const [at, resources] of asked.patients.entries()) {
      const [patient] = resources
      const context = { userId: 'Practitioner/1', patientId: patient?.['id'] }
      const found = Object.entries(prefetch).map(([name, search]) => {
        const type = /^\w+/.exec(search)?.[0]
        const entry = entriesOf(resources.filter(({ resourceType }) => resourceType === type))
        return [name, type === 'Patient' ? patient : { resourceType: 'Bundle', type: 'searchset', entry }]
      })
      const body = {
        hook: 'patient-view',
        hookInstance: crypto.randomUUID(),
        context,
        prefetch: Object.fromEntries(found) as unknown,
      }
      const answer = await this.post(key, `/cds-services/${asked.model}`, JSON.stringify(body))
      if (answer.status !== 200) throw new Error(await answer.text())
      await answer.text()
      noteHeader(named, answer, at + 1)
    }
    return { named }
  }

  /** The records as resources of the model that reads most fields beside a wrong one. */
  private asResources(feed: WrongFeed, records: readonly PatientRecord[]): Sent | undefined {
    // Names, repeated numbers and the order of a date cannot go wrong in resources.
    if (feed.rules.some(({ op }) => ['rename', 'duplicate', 'date', 'drop'].includes(op))) return undefined
    const [record = {}] = records
    const known = MODELS.map((model) => ({ model, fields: fieldsOf(model, record) }))
      .filter(({ fields }) => fields.some((field) => isWrong(feed, field)))
      .sort((one, other) => other.fields.length - one.fields.length)[0]
    if (known === undefined) return undefined
    const patients = records.flatMap((each) => {
      const resources = resourcesOf(each, known.fields)
      return resources === undefined ? [] : [resources]
    })
    return patients.length < records.length ? undefined : { model: known.model, patients }
  }
}

interface Sent {
  readonly model: string
  readonly patients: readonly (readonly Resource[])[]
}

/** The fields of a record that FHIR reads for a model: its inputs, and all items of their scales. */
function fieldsOf(model: string, record: PatientRecord): readonly string[] {
  const found = [...testCatalog().models.values()].findLast(({ definition }) => definition.id === model)
  const inputs = Object.keys(found?.definition.inputs ?? {})
  const scales = new Set(inputs.filter((name) => name.includes('_')).map((name) => name.split('_')[0]))
  return Object.keys(record).filter(
    (name) => (inputs.includes(name) || scales.has(name.split('_')[0])) && !name.endsWith('_date'),
  )
}

const entriesOf = (resources: readonly Resource[]): readonly object[] =>
  resources.map((resource) => ({ resource }))

/** The fields that the summary doubts of one file. */
function doubtedIn(summary: string, file: string): readonly string[] {
  return [...summary.matchAll(/^ {2}(?<file>\S+): (?<field>\w+): /gm)]
    .filter(({ groups }) => groups?.['file']?.endsWith(file))
    .map(({ groups }) => groups?.['field'] ?? '')
}

/** The columns of a file that another reading would take. */
function stoppedBy(message: string): readonly string[] {
  return [...message.matchAll(/\bcolumn (?<field>\w+):/g)].map(({ groups }) => groups?.['field'] ?? '')
}

interface Result {
  readonly error_message: readonly { readonly Field: string }[] | null
}

function resultsIn(lines: string): readonly Result[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Result)
}

function firstProblemsOf(results: readonly Result[]): readonly string[] | undefined {
  const first = results.find(({ error_message: problems }) => problems !== null && problems.length > 0)
  return first?.error_message?.map(({ Field }) => Field)
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}

function typeOf(duckdb: string): string {
  if (duckdb === 'BIGINT') return 'integer'
  if (duckdb === 'DOUBLE') return 'number'
  if (duckdb === 'BOOLEAN') return 'boolean'
  return duckdb === 'DATE' ? 'date' : 'text'
}

function noteHeader(named: Map<string, number>, { headers }: Response, records: number): void {
  const doubts = headers.get('risk-feed-doubt')?.split(', ') ?? []
  for (const doubt of doubts) {
    const [field = ''] = doubt.split(';')
    if (!named.has(field)) named.set(field, records)
  }
}

function linesOf(records: readonly PatientRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

function csvOf(records: readonly PatientRecord[]): string {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const cell = (value: unknown): string => {
    const text = textOf(value)
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return [names, ...records.map((record) => names.map((name) => cell(record[name])))]
    .map((row) => `${row.join(',')}\n`)
    .join('')
}

/** What came of one feed at one entrance. */
export interface Outcome {
  readonly sites: number
  readonly named: number
  /** After how many records, at the median site of those that named it. */
  readonly after: number
  /** Whether the first faulty record of every site has the problem of a wrong field; undefined where no record is faulty. */
  readonly hasProblem: boolean | undefined
}

/** Undefined where the entrance cannot carry the feed. */
export async function outcomeOf(
  entrances: Entrances,
  entrance: Entrance,
  feed: WrongFeed,
  sites: number,
): Promise<Outcome | undefined> {
  const sent = Array.from({ length: sites }, (_, site) => sentAs(feed, site))
  const answers = await entrances.ask(entrance, feed, sent)
  if (answers === undefined) return undefined
  const after = answers.flatMap(({ named }) => {
    const records = [...named].filter(([field]) => isWrong(feed, field)).map(([, at]) => at)
    return records.length === 0 ? [] : [Math.min(...records)]
  })
  const problems = answers.flatMap(({ firstProblems }) =>
    firstProblems === undefined ? [] : [firstProblems.some((field) => isWrong(feed, field))],
  )
  const sorted = after.toSorted((one, other) => one - other)
  return {
    sites,
    named: after.length,
    after: sorted[after.length >> 1] ?? Infinity,
    hasProblem: problems.length === 0 ? undefined : problems.every(Boolean),
  }
}

/** How many right sites have a field in doubt at an entrance. */
export async function doubtedSites(
  entrances: Entrances,
  entrance: Entrance,
  sites: number,
  records: number,
): Promise<number> {
  const sent = Array.from({ length: sites }, (_, site) => patientsOf(10_000 + site, records))
  const answers = (await entrances.ask(entrance, RIGHT, sent)) ?? []
  return answers.filter(({ named }) => named.size > 0).length
}

/** Nothing is wrong in it; resources carry what the model with most inputs reads. */
const RIGHT: WrongFeed = { id: 'right', what: '', fields: ['sex', 'age'], rules: [], noticed: 'never' }

/** A call for each patient takes longer than one for fifty. */
const SITES: Readonly<Record<Entrance, number>> = {
  HTTP: 10,
  stream: 10,
  'NDJSON file': 10,
  'CSV file': 10,
  SQL: 10,
  page: 10,
  FHIR: 10,
  'CDS Hooks': 2,
}

/** `share` is that of the sites, at least one for each feed. `table` is the place of the only entrance that is wanted, from 1. */
export async function simulate({ reduced, share = 1, table, only }: SimulateOptions): Promise<Table[]> {
  const chosen = ENTRANCES.filter((_entrance, at) => table === undefined || table === at + 1)
  const sitesAt = (entrance: Entrance): number => (reduced ? 1 : Math.ceil(share * SITES[entrance]))
  const entrances = await Entrances.open()
  try {
    const rows: string[][] = []
    for (const feed of WRONG_FEEDS.filter(({ id }) => isChosen(id, only))) {
      const cells: string[] = []
      const problems: boolean[] = []
      for (const entrance of chosen) {
        const outcome = await outcomeOf(entrances, entrance, feed, sitesAt(entrance))
        cells.push(outcome === undefined ? '–' : textOfOutcome(outcome))
        if (outcome?.hasProblem !== undefined) problems.push(outcome.hasProblem)
      }
      const problem = problems.length === 0 ? '–' : problems.every(Boolean) ? 'yes' : 'no'
      const within = withinOf(feed) === 200 ? '' : ` (${withinOf(feed)})`
      rows.push([`${feed.id}${within}`, feed.noticed, ...cells, problem])
    }
    const right: string[][] = []
    for (const entrance of chosen) {
      const sites = reduced ? 2 : 10 * sitesAt(entrance)
      right.push([entrance, String(sites), String(await doubtedSites(entrances, entrance, sites, 200))])
    }
    return [
      {
        title:
          'Feeds named through the interfaces: sites, and the records after which the median site named it',
        head: ['feed', 'seen at best in', ...chosen, 'problem in the first faulty record'],
        rows,
      },
      { title: 'Right sites of 200 records', head: ['entrance', 'sites', 'doubted'], rows: right },
    ]
  } finally {
    await entrances.close()
  }
}

function textOfOutcome({ sites, named, after }: Outcome): string {
  return named === 0 ? `0 of ${sites}` : `${named} of ${sites}, ${after}`
}
