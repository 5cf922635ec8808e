/** One patient's resources as a record: the fields that the model takes, each with its source or the reason for its absence. */
import {
  type ModelDefinition,
  partsOf,
  recordField,
  type ScaleDefinition,
} from 'patient-risk-engine/definition'
import { FHIR_REASONS, type FieldMapping, type Mapping } from '@patient-risk/catalog'
import type { Definitions } from 'patient-risk-engine'
import type { Entry } from './body/entry.ts'
import type { Subject } from './body/subject.ts'
import type { Submission } from './body/submission.ts'
import { Chart, type Dated, type Found, keyOf, mayCount } from './chart.ts'
import { deathsOf } from './deaths.ts'
import { convertQuantity, evaluate, plainValue, singleValue } from '../evaluator.ts'
import { type Finding, type FoundValue, entryOf, foundAt, missing } from './finding.ts'
import { findLeftOut } from './left-out.ts'
import { type Diagnosis, readDiagnoses } from './diagnoses.ts'
import { findScale } from './find-scale.ts'
import { type ReadingSet, inSet, isWhole, readingSet } from './reading-set.ts'
import { FIELD_SYSTEM, codingsOf, isIn } from '../codings.ts'
import { isObject } from 'patient-risk-engine/read'
import { completedYears, parseMoment } from './moment.ts'
import { isCounted, latestOf, procedureCounts, rivalOf, timeOfProcedure, whyNoRisk } from './rules.ts'
import { countPrimaryCare, countVisits, previousStay } from './stays/count-visits.ts'
import type { Timeline, TimelineOptions } from './stays/timeline.ts'

export interface Wanted {
  readonly fields: readonly string[]
  readonly scales: readonly ScaleDefinition[]
  /** The items of scales that the model takes one by one. */
  readonly items?: readonly string[]
}

export interface PatientRecord {
  readonly subject: Subject
  readonly timeline: Timeline
  readonly record: Readonly<Record<string, unknown>>
  readonly findings: ReadonlyMap<string, Finding>
  /** Why the patient gets no risk, whatever its values are. */
  readonly refusal: Finding | undefined
}

export function wantedBy(model: ModelDefinition, definitions: Pick<Definitions, 'scales'>): Wanted {
  const names = Object.keys(model.inputs)
  const isOf = (name: string, { id }: ScaleDefinition): boolean => name.startsWith(`${id}_`)
  const scales = definitions.scales.filter((scale) => names.some((name) => isOf(name, scale)))
  const { items = [], fields = [] } = Object.groupBy(names, (name) =>
    scales.some((scale) => isOf(name, scale)) ? 'items' : 'fields',
  )
  // Items may follow from the age and the sex of the record.
  const ofRecord = scales.flatMap(({ computed = {} }) => Object.values(computed).flatMap(partsOf))
  const more = ofRecord.flatMap((part) => recordField(part) ?? [])
  return { fields: [...new Set([...fields, ...more])], scales, items }
}

export function readPatient(
  subject: Subject,
  submission: Submission,
  mapping: Mapping,
  wanted: Wanted,
  options: TimelineOptions,
  ask: () => void = () => undefined,
): PatientRecord {
  ask()
  const chart = new Chart(subject, submission, mapping, options)
  const findings = new Map<string, Finding>()
  for (const name of wanted.fields) {
    ask()
    findings.set(name, findField(chart, name))
  }
  for (const scale of wanted.scales) {
    ask()
    addScale(chart, scale, wanted.items ?? [], findings)
  }
  const record: Record<string, unknown> = {}
  for (const [name, { value, why }] of findings) {
    if (why === undefined) record[name] = value
  }
  const refusal = whyNoRisk(subject, deathsOf(chart))
  return { subject, timeline: chart.timeline, record, findings, refusal }
}

/** How a reading of a scale is taken: what its number is rounded to, and the set that it must belong to. */
interface Reading {
  readonly step?: number | undefined
  readonly set?: ReadingSet | undefined
}

/** A field that is sent under its own name takes precedence over a derived value. */
function findField(chart: Chart, name: string, reading: Reading = {}): Finding {
  const { fields, scaleWindow } = chart.mapping
  const own = { system: FIELD_SYSTEM, code: name }
  const entry = fields[name]
  if (entry?.take === 'latest' && entry.grades === undefined)
    return latest(chart, { ...entry, codes: [...entry.codes, own] }, reading)
  const sent = inSet(chart.find([own], scaleWindow), entry === undefined ? undefined : reading.set)
  if (sent.found.length + sent.doubtful.length > 0) return latestValue(sent, 'Observation.value', plainValue)
  if (entry !== undefined) return FINDERS[entry.take](chart, entry as never, reading)
  return missing({ text: FHIR_REASONS.notMapped, parts: { system: FIELD_SYSTEM } })
}

function addScale(
  chart: Chart,
  scale: ScaleDefinition,
  items: readonly string[],
  findings: Map<string, Finding>,
): void {
  const { fields, why, doubt } = findScale(scale, chart)
  const total = `${scale.id}_total`
  for (const name of items)
    if (name.startsWith(`${scale.id}_`) && name !== total) findings.set(name, doubt ?? missing(why))
  // Where there may be an assessment, nothing else takes its place.
  if (doubt !== undefined) {
    findings.set(total, doubt)
    return
  }
  const set = readingSet(chart, scale)
  if (!fields.has(total)) addReadings(chart, scale, set, findings)
  for (const [name, finding] of fields) findings.set(name, finding)
  if (fields.size > 0) {
    const fault = [...fields.values()].find(({ why }) => why !== undefined)
    if (!findings.has(total)) findings.set(total, fault ?? missing(why))
    return
  }
  // Diagnoses give the items of a comorbidity index only if it was not assessed.
  const derived = Object.keys(chart.mapping.fields).filter((name) => name.startsWith(`${scale.id}_`))
  for (const name of derived) findings.set(name, findField(chart, name, { step: stepOf(scale, name), set }))
  const isLost = (name: string): boolean => findings.get(name)?.why !== undefined
  const lost = derived.length === 0 ? missing(why) : findings.get(derived.find(isLost) ?? '')
  if (lost !== undefined) findings.set(total, lost)
}

/** The step of a reading of a scale. */
function stepOf(
  { id, measures }: Pick<ScaleDefinition, 'id' | 'measures'>,
  name: string,
): number | undefined {
  return measures?.[name.slice(id.length + 1)]?.step
}

/** What items follow from, where nobody has added up the scale: vital signs, weight and height. */
function addReadings(
  chart: Chart,
  scale: ScaleDefinition,
  set: ReadingSet | undefined,
  findings: Map<string, Finding>,
): void {
  for (const part of Object.keys({ ...scale.measures, ...scale.context })) {
    const name = `${scale.id}_${part}`
    const finding = findField(chart, name, { step: stepOf(scale, name), set })
    if (finding.why === undefined || Object.hasOwn(chart.mapping.fields, name)) findings.set(name, finding)
  }
}

const MULTIPLE = 'multiple-matches'

type Take<T extends FieldMapping['take']> = Extract<FieldMapping, { take: T }>

const FINDERS: {
  readonly [T in FieldMapping['take']]: (chart: Chart, entry: Take<T>, reading: Reading) => Finding
} = {
  age,
  first,
  count: ({ timeline }, { class: kind, monthsBefore: months }) =>
    kind === 'primaryCare' ? countPrimaryCare(timeline, months) : countVisits(timeline, kind, months),
  days: ({ timeline }) => timeline.stayDays(),
  latest,
  any: (chart, entry) =>
    entry.resource === 'Procedure' ? anyProcedure(chart, entry) : anyCondition(chart, entry),
}

function age({ subject: { patient }, timeline }: Chart, { path }: Take<'age'>): Finding {
  if (timeline.isAmbiguous) return timeline.whyNoIndex
  const at = elementOf(patient, path)
  const given = singleValue(path, patient.resource)
  if (given === undefined) return missing(FHIR_REASONS.noBirthDate, at)
  const birth = parseMoment(given)
  if (birth === undefined) return missing(FHIR_REASONS.birthNotADate, at, 'value')
  const value = completedYears(birth, timeline.anchor)
  if (value !== undefined) return { value, from: [patient], at }
  return missing(FHIR_REASONS.birthOpen, at, 'value')
}

function first({ subject, timeline }: Chart, rules: Take<'first'>): Finding {
  const { resource, paths, values, otherwise, afterEmergency } = rules
  const entry = resource === 'Patient' ? subject.patient : timeline.index?.entry
  if (entry === undefined) return timeline.whyNoIndex
  const at = elementOf(entry, paths[0] ?? '')
  for (const path of paths) {
    const given = evaluate(path, entry.resource)
    const known = values.filter((rule) => given.some((each) => isSameCode(rule, each)))
    const [value, ...others] = new Set(known.map((rule) => rule.value))
    if (others.length > 0) return missing(FHIR_REASONS.codesContradict, at, MULTIPLE)
    if (value !== undefined) return { value, from: [entry], at: elementOf(entry, path) }
  }
  const others = paths.flatMap((path) => evaluate(path, entry.resource).flatMap(codingsOf))
  const isKnown = others.some(({ system }) => values.some((rule) => rule.system === system))
  if (otherwise !== undefined && isKnown && !isIn(otherwise.unless ?? [], others))
    return { value: otherwise.value, from: [entry], at }
  if (afterEmergency !== undefined && timeline.ledBy.length > 0)
    return { value: afterEmergency, from: timeline.ledBy, at }
  return missing({ text: FHIR_REASONS.noKnownCode, parts: { resource } }, at)
}

function latest(chart: Chart, entry: Take<'latest'>, { step, set }: Reading): Finding {
  const readings = inSet(chart.find(entry.codes, entry.window, isWhole(entry.path)), set)
  return latestValue(readings, entry.path, (value) => {
    if (entry.grades !== undefined) return gradeOf(value, entry.grades)
    if (isObject(value)) return convertQuantity(value, entry, step)
    if (value === undefined) return { why: { text: FHIR_REASONS.noSingleValue }, code: 'required' }
    return entry.unit !== undefined && typeof value === 'number'
      ? { why: { text: FHIR_REASONS.noUnit } }
      : { value }
  })
}

function gradeOf(given: unknown, grades: NonNullable<Take<'latest'>['grades']>): FoundValue {
  const grade = grades.find((each) => {
    if ('code' in each) return codingsOf(given).some((coding) => keyOf(coding) === keyOf(each))
    const unit = each.unit === undefined ? {} : { unit: each.unit }
    const { value } = isObject(given) ? convertQuantity(given, unit) : { value: given }
    const isPlain = each.unit === undefined || isObject(given)
    return isPlain && typeof value === 'number' && value >= each.from && value <= each.to
  })
  return grade ?? { why: { text: FHIR_REASONS.gradeNotKnown }, code: 'code-invalid' }
}

function latestValue(
  { found, doubtful, why }: Found,
  path: string,
  read: (value: unknown) => FoundValue,
): Finding {
  const valueOf = ({ entry, component }: Dated): unknown =>
    component === undefined
      ? singleValue(path, entry.resource)
      : singleValue('value', component.part, 'Observation.component')
  if (found.length === 0) return missing(why, doubtful[0]?.entry.path, doubtful[0] && 'incomplete')
  const last = latestOf(found, valueOf)
  if (last === undefined) return missing(FHIR_REASONS.severalObservations, undefined, MULTIPLE)
  const rival = rivalOf(last, doubtful, valueOf)
  if (rival !== undefined) return missing(mayCount(rival), rival.entry.path, 'incomplete')
  const element = last.component === undefined ? path : `Observation.component[${last.component.at}].value`
  return foundAt(elementOf(last.entry, element), last.entry, read(valueOf(last)))
}

function anyProcedure(chart: Chart, entry: Extract<FieldMapping, { resource: 'Procedure' }>): Finding {
  const { subject, submission, timeline } = chart
  if (timeline.index === undefined) return timeline.whyNoIndex
  /** Whether it is such a Procedure; undefined where that is not known. */
  const counts = (each: Entry): boolean | undefined => {
    const { resource } = each
    const moment = submission.momentOf(timeOfProcedure(resource))
    const isDone = isCounted('Procedure', resource['status'], entry.statuses)
    return procedureCounts(isDone, chart.isWithin(entry.window, { entry: each, moment }))
  }
  const all = subject.entries.filter(({ type }) => type === 'Procedure')
  const found = all.filter((each) => counts(each) === true)
  if (found.length > 0) return { value: entry.value, from: found }
  const doubt = all.find((each) => counts(each) === undefined)
  if (doubt !== undefined) return missing(mayCount({ entry: doubt }), doubt.path, 'incomplete')
  if (!timeline.options.complete.has('Procedure')) return missing(FHIR_REASONS.noProcedure)
  const mayMatter = (each: Entry): boolean => each.unreadable !== undefined || counts(each) !== false
  return findLeftOut(subject, submission, 'Procedure', mayMatter) ?? { value: entry.otherwise, from: [] }
}

/** One step of a diagnosis with several degrees, the severest first. */
interface Rule {
  readonly groups: readonly string[]
  readonly value: unknown
  readonly beforeStay?: boolean | undefined
}

function anyCondition(chart: Chart, entry: Extract<FieldMapping, { resource: 'Condition' }>): Finding {
  const isActiveOnly = entry.activeOnly === true
  const previous = entry.inPreviousStay === true ? previousStay(chart.timeline) : undefined
  if (previous !== undefined && !('kind' in previous))
    return previous.why === undefined ? { value: entry.otherwise, from: [] } : previous
  const stay = previous === undefined ? [] : [previous.entry]
  const groups = [entry, ...(entry.else ?? [])].flatMap((rule) => rule.groups)
  const mayMatter = (each: Entry): boolean =>
    each.unreadable !== undefined ||
    readDiagnoses(chart, [each]).some((read) =>
      groups.some((group) => read.countsFor(group, isActiveOnly) !== false),
    )
  const leftOut = findLeftOut(chart.subject, chart.submission, 'Condition', mayMatter)
  const judge = (
    { entry: { path }, isOfStay, isIn, countsFor }: Diagnosis,
    rule: Rule,
  ): boolean | Finding => {
    const isBefore = isOfStay === undefined ? undefined : !isOfStay
    const isEarlier = rule.beforeStay === true ? isBefore : true
    const isThere = previous === undefined ? isEarlier : isIn(previous)
    if (isThere === false) return false
    const judged = rule.groups.map((group) => countsFor(group, isActiveOnly))
    const counts =
      judged.find((each) => each === true) ?? judged.find((each) => typeof each === 'object') ?? false
    if (counts !== true || isThere === true) return counts
    return missing({ text: FHIR_REASONS.ofWhichStay, parts: { place: entryOf(path) } }, path, 'incomplete')
  }
  for (const [at, rule] of [entry, ...(entry.else ?? [])].entries()) {
    const judged = chart.diagnoses.map((each) => [each.entry, judge(each, rule)] as const)
    const found = judged.filter(([, counts]) => counts === true)
    // What was left out may be the severe form that comes first.
    if (found.length > 0 && at > 0 && leftOut !== undefined) return leftOut
    if (found.length > 0) return { value: rule.value, from: [...found.map(([each]) => each), ...stay] }
    const doubt = judged.map(([, counts]) => counts).find((counts) => typeof counts === 'object')
    if (doubt !== undefined) return doubt
  }
  if (!chart.timeline.options.complete.has('Condition')) return missing(FHIR_REASONS.noCondition)
  return leftOut ?? { value: entry.otherwise, from: stay }
}

/** The FHIRPath of an element, seen from the body. */
function elementOf(entry: Entry, path: string): string {
  return `${entry.path}.${path.replace(/^\w+\./, '')}`
}

function isSameCode(rule: { readonly system?: string; readonly code: string }, given: unknown): boolean {
  if (rule.system === undefined) return given === rule.code
  const [coding] = codingsOf(given)
  return coding?.system === rule.system && coding.code === rule.code
}
