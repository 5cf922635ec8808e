/** One patient's resources as a record: the fields that the model takes, each with its source or the reason for its absence. */
import type { Catalog } from '../../catalog/catalog.ts'
import type { ModelDefinition } from '../../definition/model.ts'
import type { ScaleDefinition } from '../../definition/scale.ts'
import { type Evaluator, plainValue } from './evaluator.ts'
import { type Diagnosis, readDiagnoses } from './diagnoses.ts'
import { findScale } from './find-scale.ts'
import { type Coding, codingsOf, isObject, textOf } from './json.ts'
import { FIELD_SYSTEM, type FieldMapping, type Mapping, type MappedCoding } from './mapping.ts'
import { completedYears, parseMoment } from './moment.ts'
import { Observations, dated, latestOf, singleValue } from './observations.ts'
import type { Entry, Subject, Submission } from './submission.ts'
import { type Finding, Timeline, type TimelineOptions } from './timeline.ts'

/** The fields that a model takes, and the scales that some of them are worked out from. */
export interface Wanted {
  readonly fields: readonly string[]
  readonly scales: readonly ScaleDefinition[]
}

export interface PatientRecord {
  readonly subject: Subject
  readonly timeline: Timeline
  readonly record: Readonly<Record<string, unknown>>
  readonly findings: ReadonlyMap<string, Finding>
}

export interface ReadOptions extends Omit<TimelineOptions, 'isComplete'> {
  /** The types of resources of which the sender states that none is left out. */
  readonly complete: ReadonlySet<string>
}

export function wantedBy(model: ModelDefinition, catalog: Pick<Catalog, 'scales'>): Wanted {
  const names = Object.keys(model.inputs)
  const scales = [...catalog.scales.values()].filter(({ id }) =>
    names.some((name) => name.startsWith(`${id}_`)),
  )
  const fields = names.filter((name) => !scales.some(({ id }) => name.startsWith(`${id}_`)))
  return { fields, scales }
}

export function readPatient(
  subject: Subject,
  submission: Submission,
  mapping: Mapping,
  wanted: Wanted,
  options: ReadOptions,
  evaluator: Evaluator,
): PatientRecord {
  const isComplete = options.complete.has('Encounter')
  const timeline = new Timeline(subject, submission, mapping.encounters, { ...options, isComplete })
  const reader = new PatientReader(subject, submission, mapping, timeline, options.complete, evaluator)
  const findings = new Map<string, Finding>()
  for (const name of wanted.fields) findings.set(name, reader.findField(name))
  for (const scale of wanted.scales) reader.addScale(scale, findings)
  const record: Record<string, unknown> = {}
  for (const [name, finding] of findings) if ('value' in finding) record[name] = finding.value
  return { subject, timeline, record, findings }
}

class PatientReader {
  private readonly subject: Subject
  private readonly submission: Submission
  private readonly mapping: Mapping
  private readonly timeline: Timeline
  private readonly complete: ReadonlySet<string>
  private readonly evaluator: Evaluator
  private readonly observations: Observations
  private diagnoses: readonly Diagnosis[] | undefined

  constructor(
    subject: Subject,
    submission: Submission,
    mapping: Mapping,
    timeline: Timeline,
    complete: ReadonlySet<string>,
    evaluator: Evaluator,
  ) {
    this.subject = subject
    this.submission = submission
    this.mapping = mapping
    this.timeline = timeline
    this.complete = complete
    this.evaluator = evaluator
    this.observations = new Observations(subject, submission, timeline)
  }

  /** A field that is sent under its own name wins over what would be worked out for it. */
  findField(name: string): Finding {
    const own: MappedCoding = { system: FIELD_SYSTEM, code: name }
    const entry = this.mapping.fields[name]
    if (entry?.take === 'latest') return this.latest({ ...entry, codes: [...entry.codes, own] })
    const { found } = this.observations.find([own], this.mapping.scaleWindow)
    if (found.length > 0) return this.ownValue(found)
    if (entry === undefined)
      return {
        why: `The mapping does not say where it is found. Send it as an Observation (${FIELD_SYSTEM}).`,
      }
    return this.mapped(entry)
  }

  addScale(scale: ScaleDefinition, findings: Map<string, Finding>): void {
    const { fields, why } = findScale(scale, this.mapping, this.subject, this.observations, this.evaluator)
    for (const [name, finding] of fields) findings.set(name, finding)
    const total = `${scale.id}_total`
    if (fields.size > 0) {
      if (!findings.has(total)) findings.set(total, { why })
      return
    }
    // Diagnoses give the items of a comorbidity index only where nobody has assessed it.
    const derived = Object.keys(this.mapping.fields).filter((name) => name.startsWith(`${scale.id}_`))
    for (const name of derived) findings.set(name, this.findField(name))
    const missing = derived
      .map((name) => findings.get(name))
      .find((finding) => finding !== undefined && 'why' in finding)
    if (derived.length === 0 || missing !== undefined) findings.set(total, missing ?? { why })
  }

  private mapped(entry: FieldMapping): Finding {
    const isTimed = entry.take === 'age' || entry.take === 'count'
    if (isTimed && this.timeline.isAmbiguous) return { why: this.timeline.whyNoIndex }
    switch (entry.take) {
      case 'age':
        return this.age(entry.path)
      case 'first':
        return this.first(entry)
      case 'count':
        return this.timeline.count(entry.class, entry.monthsBefore)
      case 'days':
        return this.timeline.stayDays()
      case 'latest':
        return this.latest(entry)
      case 'any':
        return entry.resource === 'Procedure' ? this.anyProcedure(entry) : this.anyCondition(entry)
    }
  }

  private age(path: string): Finding {
    const { patient } = this.subject
    const at = `${patient.path}.${path.replace(/^Patient\./, '')}`
    const given = singleValue(this.evaluator, path, patient)
    if (given === undefined) return { why: 'The Patient has no birth date.', at }
    const birth = parseMoment(given)
    if (birth === undefined) return { why: 'The birth date is not a date.', at, code: 'value' }
    const age = completedYears(birth, this.timeline.anchor)
    if (age !== undefined) return { value: age, from: [patient], at }
    return {
      why: 'The birth date is partial or later than the stay, so the age is not certain.',
      at,
      code: 'value',
    }
  }

  private first({ resource, paths, values }: Extract<FieldMapping, { take: 'first' }>): Finding {
    const entry = resource === 'Patient' ? this.subject.patient : this.timeline.index?.entry
    if (entry === undefined) return { why: this.timeline.whyNoIndex }
    const at = `${entry.path}.${(paths[0] ?? '').replace(/^\w+\./, '')}`
    for (const path of paths) {
      const given = this.evaluator.evaluate(path, entry.resource)
      const matched = new Set(
        given.flatMap((each) => values.filter((value) => isSameCode(value, each)).map(({ value }) => value)),
      )
      if (matched.size > 1) return { why: 'Its codes contradict each other.', at, code: 'multiple-matches' }
      if (matched.size === 1)
        return { value: [...matched][0], from: [entry], at: `${entry.path}.${path.replace(/^\w+\./, '')}` }
    }
    return { why: `${resource} has no code that the mapping knows.`, at }
  }

  private latest(entry: Extract<FieldMapping, { take: 'latest' }>): Finding {
    const { found, why } = this.observations.find(entry.codes, entry.window)
    if (found.length === 0) return { why }
    const latest = latestOf(found, (each) => singleValue(this.evaluator, entry.path, each.entry))
    if (latest === undefined)
      return { why: 'Several Observations are the latest, with different values.', code: 'multiple-matches' }
    const at = `${latest.entry.path}.${entry.path.replace(/^Observation\./, '')}`
    const value = singleValue(this.evaluator, entry.path, latest.entry)
    if (!isObject(value))
      return value === undefined
        ? { why: 'The Observation has no single value.', at }
        : this.plainNumber(value, entry.unit, latest.entry, at)
    const converted = this.evaluator.convert(value, entry)
    return 'value' in converted
      ? { value: converted.value, from: [latest.entry], at }
      : { ...converted, at, code: 'value' }
  }

  private plainNumber(value: unknown, unit: string | undefined, entry: Entry, at: string): Finding {
    if (unit === undefined || typeof value !== 'number') return { value, from: [entry], at }
    return { why: 'The Observation has a number without a unit.', at, code: 'value' }
  }

  private ownValue(found: Parameters<typeof latestOf<ReturnType<typeof dated>>>[0]): Finding {
    const valueOf = ({ entry }: { readonly entry: Entry }): unknown =>
      singleValue(this.evaluator, 'Observation.value', entry)
    const latest = latestOf(found, valueOf)
    if (latest === undefined)
      return { why: 'Several Observations are the latest, with different values.', code: 'multiple-matches' }
    const at = `${latest.entry.path}.value`
    const plain = plainValue(valueOf(latest), this.evaluator)
    return 'value' in plain
      ? { value: plain.value ?? null, from: [latest.entry], at }
      : { ...plain, at, code: 'value' }
  }

  private anyProcedure({
    statuses,
    window,
    value,
    otherwise,
  }: Extract<FieldMapping, { resource: 'Procedure' }>): Finding {
    if (this.timeline.index === undefined) return { why: this.timeline.whyNoIndex }
    const procedures = this.subject.entries.filter(({ type }) => type === 'Procedure')
    const found = procedures.filter((entry) => {
      const { resource } = entry
      const period = resource['performedPeriod']
      const moment = parseMoment(
        resource['performedDateTime'] ?? (isObject(period) ? period['start'] : undefined),
      )
      return (
        statuses.includes(textOf(resource['status']) ?? '') &&
        this.observations.isWithin(window, entry, moment)
      )
    })
    if (found.length > 0) return { value, from: found }
    if (this.complete.has('Procedure')) return { value: otherwise, from: [] }
    return {
      why: 'There is no such Procedure, and the history is not stated to be complete (history=complete).',
    }
  }

  private anyCondition(entry: Extract<FieldMapping, { resource: 'Condition' }>): Finding {
    this.diagnoses ??= readDiagnoses(this.subject, this.submission, this.mapping.diagnoses, this.timeline)
    const { diagnoses } = this
    for (const rule of [{ groups: entry.groups, value: entry.value }, ...(entry.else ?? [])]) {
      const isEarlier = 'beforeStay' in rule
      const found = diagnoses.filter(
        ({ groups, isOfStay }) => rule.groups.some((group) => groups.has(group)) && !(isEarlier && isOfStay),
      )
      if (found.length > 0) return { value: rule.value, from: found.map((each) => each.entry) }
    }
    if (!this.complete.has('Condition'))
      return {
        why: 'There is no such Condition, and the history is not stated to be complete (history=complete).',
      }
    const uncoded = diagnoses.find(({ isCoded }) => !isCoded)
    if (uncoded === undefined) return { value: entry.otherwise, from: [] }
    return {
      why: 'A Condition has no ICD-10 code, so it may be the one.',
      at: `${uncoded.entry.path}.code`,
      code: 'code-invalid',
    }
  }
}

function isSameCode(rule: { readonly system?: string; readonly code: string }, given: unknown): boolean {
  if (rule.system === undefined) return given === rule.code
  const [coding]: readonly (Coding | undefined)[] = codingsOf(given)
  return coding?.system === rule.system && coding.code === rule.code
}
