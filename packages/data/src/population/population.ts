/**
 * The patients of a Bulk Data export, each with all its resources as a Bundle. An export has one type of resource in a file and the
 * resources in any order, so DuckDB sorts them by patient, on the disk where they do not fit in memory.
 */
import { isFhirType } from '@patient-risk/catalog'
import { type Json, inside, listOf, textOf } from 'patient-risk-engine/read'
import { BadFile } from '../tables/bad-file.ts'
import type { TableEngine } from '../tables/engine.ts'
import { type ExportFolder, USED_TYPES } from './export-folder.ts'
import { type PatientBundle, type Resource, bundleOf } from './patient-bundle.ts'
import { identifiersOf, namesOf, recordsOf, subjectOf, withoutPerson } from './person-names.ts'
import { resourceLines } from './resource-lines.ts'

/** Places of lines that cannot be read, in a message. */
const MOST_PLACES = 5
/** Resources that say that several records are of one person. */
const CONNECTING = ['Person', 'Linkage']
const MOST_OF_ANYBODY = 200
/** What may hold resources, and a line without a type. */
const HOLDING = ['Bundle', 'Parameters', '']
/** The identifiers in their two parts. Other names have none. */
const NUMBERS = `
  CREATE VIEW numbers AS
  SELECT DISTINCT patient, regexp_extract(identifier, '^(.*)\\|', 1) AS system, regexp_extract(identifier, '[^|]*$') AS value
  FROM identifiers WHERE contains(identifier, '|')`
/** Patients with one number, of whom one lacks its system. Numbers of one system tell two of them apart. */
const SAME_BARE_NUMBER = `
  SELECT one.patient, other.patient
  FROM numbers one JOIN numbers other USING (value)
  WHERE one.system = '' AND other.system <> '' AND one.patient <> other.patient AND NOT EXISTS (
    SELECT 1 FROM numbers a JOIN numbers b USING (system)
    WHERE system <> '' AND a.patient = one.patient AND b.patient = other.patient)`

export class Population {
  /** Why resources may be missing, in sentences. */
  readonly incomplete: string[]
  /** Resources by type, of those that risks are computed from. */
  readonly counts = new Map<string, number>()
  /** How many resources name a Patient that the export does not have. They are not used. */
  strays = 0
  private readonly engine: TableEngine
  private readonly source: ExportFolder
  /** Resources whose patient is not known, by their texts. They may be anybody's. */
  private readonly ofAnybody = new Map<string, Resource>()
  private readonly unreadable: string[] = []
  private readonly messages: string[] = []
  private unreadableCount = 0

  private constructor(engine: TableEngine, source: ExportFolder) {
    this.engine = engine
    this.source = source
    this.incomplete = [...source.incomplete]
  }

  /** Reads the whole export. */
  static async load(
    engine: TableEngine,
    source: ExportFolder,
    onRead: (resources: number) => void = () => undefined,
  ): Promise<Population> {
    const population = new Population(engine, source)
    await engine.run(
      'CREATE TABLE resources (patient VARCHAR, name VARCHAR, updated VARCHAR, place BIGINT, line VARCHAR)',
    )
    await engine.run('CREATE TABLE identifiers (identifier VARCHAR, patient VARCHAR)')
    await engine.run(NUMBERS)
    await population.readAll(onRead)
    await population.mergePatients()
    population.compareCounts()
    return population
  }

  get patientCount(): number {
    return this.counts.get('Patient') ?? 0
  }

  /** Patients in the order of their ids. */
  async *bundles(): AsyncGenerator<PatientBundle> {
    let group = ''
    let resources: Resource[] = []
    const sorted = `
      SELECT coalesce(merged.first, resources.patient) AS person, name, updated, line
      FROM resources LEFT JOIN merged USING (patient) ORDER BY person, place`
    for await (const [persons, names, updates, lines] of this.engine.chunks(sorted)) {
      for (let row = 0; row < (persons?.itemCount ?? 0); row++) {
        const person = persons?.getItem(row) as string
        if (person !== group) {
          yield* this.take(resources)
          group = person
          resources = []
        }
        resources.push({
          name: names?.getItem(row) as string,
          updated: updates?.getItem(row) as string,
          text: lines?.getItem(row) as string,
        })
      }
    }
    yield* this.take(resources)
  }

  private async readAll(onRead: (resources: number) => void): Promise<void> {
    const deleted = await this.readDeleted()
    const resources = await this.engine.appender('resources')
    const identifiers = await this.engine.appender('identifiers')
    let place = 0
    let lines = 0
    for (const file of this.source.files) {
      for await (const { resource, text, line } of resourceLines(file, (line) =>
        this.noteUnreadable(file, line),
      )) {
        onRead(++lines)
        const type = textOf(resource['resourceType']) ?? ''
        if (CONNECTING.includes(type)) {
          const { persons, numbers } = recordsOf(resource)
          const name = `${type}/${textOf(resource['id']) ?? String(place)}`
          // Where it names records by their numbers alone, it is kept under a name of its own, and merged with those who have them.
          const [first = `of ${name}`, ...others] = persons
          resources.add([first, name, '', ++place, text])
          for (const person of [first, ...others]) identifiers.add([name, person])
          for (const number of numbers) identifiers.add([number, first])
          continue
        }
        if (!USED_TYPES.includes(type)) {
          if (type === 'OperationOutcome') this.noteMessage(resource, file, line)
          else if (!isFhirType(type) || HOLDING.includes(type)) this.noteUnreadable(file, line)
          continue
        }
        this.counts.set(type, (this.counts.get(type) ?? 0) + 1)
        const id = textOf(resource['id']) ?? ''
        if (id === '') {
          this.noteUnreadable(file, line)
          continue
        }
        const name = `${type}/${id}`
        if (deleted.has(name)) continue
        const found = { name, updated: textOf(inside(resource, 'meta', 'lastUpdated')) ?? '', text }
        const patient = type === 'Patient' ? id : subjectOf(resource)
        if (patient === undefined) continue
        if (patient === '') {
          this.addOfAnybody(found, resource)
          continue
        }
        // Ids that differ in their case alone are read together: they may be one.
        const person = patient.toLowerCase()
        resources.add([person, name, found.updated, ++place, text])
        const names = type === 'Patient' ? namesOf(resource) : identifiersOf(inside(resource, 'subject'))
        for (const other of names) identifiers.add([other, person])
      }
    }
    resources.close()
    identifiers.close()
    if (this.messages.length > 0)
      this.incomplete.push(
        `The server has written messages among the resources: ${this.messages.join(', ')}.`,
      )
    if (this.unreadableCount > 0)
      this.incomplete.push(
        `${this.unreadableCount} lines are not a resource with an id, as JSON: ${this.unreadable.join(', ')}${this.unreadableCount > MOST_PLACES ? ' and others' : ''}.`,
      )
  }

  /** Names of resources, such as Encounter/e1. The files hold transactions with deletions. */
  private async readDeleted(): Promise<ReadonlySet<string>> {
    const deleted = new Set<string>()
    for (const file of this.source.deleted)
      for await (const { resource } of resourceLines(file, (line) => this.noteUnreadable(file, line)))
        for (const entry of listOf(resource['entry'])) {
          const url = textOf(inside(entry, 'request', 'url')) ?? ''
          if (inside(entry, 'request', 'method') === 'DELETE') deleted.add(url.split('/').slice(-2).join('/'))
        }
    return deleted
  }

  /** Each goes into every Bundle, because it may matter to one patient and not to another: a stay of 1990 changes no count. */
  private addOfAnybody(found: Resource, resource: Json): void {
    const text = JSON.stringify(withoutPerson(resource))
    this.ofAnybody.set(JSON.stringify({ ...withoutPerson(resource), id: undefined }), { ...found, text })
    if (this.ofAnybody.size > MOST_OF_ANYBODY)
      throw new BadFile(
        `has more than ${MOST_OF_ANYBODY} resources that name no patient, so that they may be anybody's; export it with their subjects`,
      )
  }

  /** What the server says of a resource that it could not export. */
  private noteMessage(resource: Json, file: string, line: number): void {
    const issues = listOf(resource['issue'])
    const isHarmless = (issue: unknown): boolean => inside(issue, 'severity') === 'information'
    if (issues.length > 0 && issues.every(isHarmless)) return
    if (this.messages.length < MOST_PLACES) this.messages.push(`${file}:${line}`)
  }

  private noteUnreadable(file: string, line: number): void {
    this.unreadableCount++
    if (this.unreadable.length < MOST_PLACES) this.unreadable.push(`${file}:${line}`)
  }

  /** Patients that share an identifier or name each other may be one person: they are read together, so that this is noticed. */
  private async mergePatients(): Promise<void> {
    const shared = await this.engine.rows(
      `SELECT DISTINCT first, patient
       FROM (SELECT min(patient) OVER (PARTITION BY identifier) AS first, patient FROM identifiers)
       WHERE first <> patient
       UNION ${SAME_BARE_NUMBER}`,
    )
    const firstOf = new Map<string, string>()
    const find = (patient: string): string => {
      const first = firstOf.get(patient)
      return first === undefined || first === patient ? patient : find(first)
    }
    for (const { first, patient } of shared) {
      const [low = '', high = ''] = [find(String(first)), find(String(patient))].toSorted()
      if (low !== high) firstOf.set(high, low)
    }
    await this.engine.run('CREATE TABLE merged (patient VARCHAR, first VARCHAR)')
    const merged = await this.engine.appender('merged')
    for (const patient of firstOf.keys()) merged.add([patient, find(patient)])
    merged.close()
  }

  private compareCounts(): void {
    for (const [type, count] of this.source.counts) {
      const found = this.counts.get(type) ?? 0
      if (USED_TYPES.includes(type) && found !== count)
        this.incomplete.push(`The manifest counts ${count} resources ${type}, and the files have ${found}.`)
    }
  }

  private *take(resources: readonly Resource[]): Generator<PatientBundle> {
    const bundle = bundleOf(resources, this.ofAnybody.values(), this.source.base)
    if (bundle === undefined) this.strays += resources.length
    else yield bundle
  }
}
