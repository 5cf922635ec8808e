/** A scale in its four shapes: a total with components, a panel with members, a QuestionnaireResponse, or single items. */
import type { ScaleDefinition } from '../../definition/scale.ts'
import { type Evaluator, pointsOf } from './evaluator.ts'
import { type Json, codingsOf, isObject, listOf, textOf } from './json.ts'
import { FIELD_SYSTEM, type Mapping, type MappedCoding } from './mapping.ts'
import type { Moment } from './moment.ts'
import { type Dated, type Observations, dated, hasValueToUse, latestOf } from './observations.ts'
import type { Entry, Subject } from './submission.ts'
import type { Finding } from './timeline.ts'

interface Assessment {
  readonly moment: Moment | undefined
  /** By the name of the item, or `total`. */
  readonly values: Map<string, Finding>
}

const ANSWERED = new Set(['completed', 'amended'])
const DEEPEST = 8

/** The values of a scale by the names of their fields; empty where there is no assessment in the window. */
export function findScale(
  scale: ScaleDefinition,
  mapping: Mapping,
  subject: Subject,
  observations: Observations,
  evaluator: Evaluator,
): { readonly fields: ReadonlyMap<string, Finding>; readonly why: string } {
  const { id } = scale
  const rules = mapping.scales[id] ?? {}
  const own = (part: string): MappedCoding => ({ system: FIELD_SYSTEM, code: `${id}_${part}` })
  const codes = new Map<string, readonly MappedCoding[]>([['total', [...(rules.total ?? []), own('total')]]])
  for (const item of Object.keys(scale.items)) codes.set(item, [...(rules.items?.[item] ?? []), own(item)])
  const reader = new ScaleReader(codes, observations, evaluator)

  const window = mapping.scaleWindow
  const find = (wanted: readonly MappedCoding[]): readonly Dated[] => observations.find(wanted, window).found
  const assessments: Assessment[] = []
  for (const whole of [...find(rules.panel ?? []), ...find(codes.get('total') ?? [])]) {
    if (!reader.isUsed(whole.entry)) assessments.push(reader.readObservation(whole))
  }
  for (const entry of subject.entries) {
    if (entry.type !== 'QuestionnaireResponse' || reader.isUsed(entry)) continue
    const { moment } = dated(entry)
    if (
      !ANSWERED.has(textOf(entry.resource['status']) ?? '') ||
      !observations.isWithin(window, entry, moment)
    )
      continue
    const values = reader.readResponse(entry)
    if (values.size > 0) assessments.push({ moment, values })
  }
  if (assessments.length === 0) assessments.push(...singleItems(scale, codes, find, reader))
  const latest = latestOf(assessments, ({ values }) =>
    [...values].map(([name, each]) => [name, 'value' in each && each.value]),
  )
  if (latest === undefined) {
    const why =
      assessments.length === 0
        ? 'No assessment with this scale lies in the window.'
        : 'Several assessments are the latest.'
    return { fields: new Map(), why }
  }
  const fields = new Map([...latest.values].map(([name, finding]) => [`${id}_${name}`, finding]))
  const { moment } = latest
  if (moment?.precision === 'day') {
    const text = String(moment.day).padStart(8, '0')
    const from = [...latest.values.values()].flatMap((finding) => ('value' in finding ? finding.from : []))
    fields.set(`${id}_date`, {
      value: `${text.slice(6)}-${text.slice(4, 6)}-${text.slice(0, 4)}`,
      from: [...new Set(from)],
    })
  }
  return { fields, why: 'The assessment does not hold it.' }
}

/** Items that came one by one belong together when they are of the same day. */
function singleItems(
  scale: ScaleDefinition,
  codes: ReadonlyMap<string, readonly MappedCoding[]>,
  find: (codes: readonly MappedCoding[]) => readonly Dated[],
  reader: ScaleReader,
): readonly Assessment[] {
  const byDay = new Map<number, Assessment>()
  for (const item of Object.keys(scale.items)) {
    for (const { entry, moment } of find(codes.get(item) ?? [])) {
      const day = moment?.day ?? 0
      const assessment = byDay.get(day) ?? {
        moment: moment && { day, precision: moment.precision },
        values: new Map(),
      }
      byDay.set(day, assessment)
      reader.add(
        assessment.values,
        item,
        reader.valueOf(entry.resource, 'Observation'),
        entry,
        `${entry.path}.value`,
      )
    }
  }
  return [...byDay.values()]
}

class ScaleReader {
  private readonly parts = new Map<string, string>()
  private readonly linkIds = new Map<string, string>()
  private readonly used = new Set<Entry>()
  private readonly observations: Observations
  private readonly evaluator: Evaluator

  constructor(
    codes: ReadonlyMap<string, readonly MappedCoding[]>,
    observations: Observations,
    evaluator: Evaluator,
  ) {
    this.observations = observations
    this.evaluator = evaluator
    for (const [part, codings] of codes) {
      for (const { system, code } of codings) {
        this.parts.set(`${system}|${code}`, part)
        this.linkIds.set(code, part)
      }
    }
  }

  isUsed(entry: Entry): boolean {
    return this.used.has(entry)
  }

  readObservation({ entry, moment }: Dated): Assessment {
    const values = new Map<string, Finding>()
    this.readInto(values, entry, DEEPEST)
    return { moment, values }
  }

  readResponse(entry: Entry): Map<string, Finding> {
    const values = new Map<string, Finding>()
    this.readItems(values, entry.resource, entry, entry.path, DEEPEST)
    return values
  }

  valueOf(
    node: Json,
    base: 'Observation' | 'Observation.component' | 'QuestionnaireResponse.item.answer',
  ): unknown {
    const values = this.evaluator.evaluate('value', node, base === 'Observation' ? '' : base)
    return values.length === 1 ? values[0] : undefined
  }

  /** A part that is given twice in one assessment with different values has no value that could be trusted. */
  add(values: Map<string, Finding>, part: string, value: unknown, entry: Entry, at: string): void {
    const points = value === undefined ? { why: 'It has no value.' } : pointsOf(value, this.evaluator)
    const finding: Finding =
      'value' in points ? { value: points.value, from: [entry], at } : { ...points, at, code: 'value' }
    const known = values.get(part)
    const isSame =
      known === undefined || ('value' in known && 'value' in finding && known.value === finding.value)
    values.set(
      part,
      isSame ? finding : { why: 'It is given twice with different values.', at, code: 'multiple-matches' },
    )
  }

  private readInto(values: Map<string, Finding>, entry: Entry, depth: number): void {
    if (this.used.has(entry) || depth === 0) return
    this.used.add(entry)
    const { resource, path } = entry
    const part = this.partOf(resource['code'])
    const hasValue = Object.keys(resource).some((key) => key.startsWith('value'))
    if (part !== undefined && hasValue)
      this.add(values, part, this.valueOf(resource, 'Observation'), entry, `${path}.value`)
    listOf(resource['component']).forEach((component, at) => {
      const item = isObject(component) ? this.partOf(component['code']) : undefined
      if (!isObject(component) || item === undefined || component['dataAbsentReason'] !== undefined) return
      this.add(
        values,
        item,
        this.valueOf(component, 'Observation.component'),
        entry,
        `${path}.component[${at}].value`,
      )
    })
    for (const member of [...listOf(resource['hasMember']), ...listOf(resource['derivedFrom'])]) {
      const linked = isObject(member) ? this.observations.resolve(member['reference'], entry) : undefined
      if (linked === undefined || !isOfSame(linked, entry, this.observations)) continue
      if (linked.type === 'Observation' && hasValueToUse(linked)) this.readInto(values, linked, depth - 1)
      else if (linked.type === 'QuestionnaireResponse') {
        this.used.add(linked)
        for (const [name, finding] of this.readResponse(linked))
          if (!values.has(name)) values.set(name, finding)
      }
    }
  }

  private readItems(
    values: Map<string, Finding>,
    node: Json,
    entry: Entry,
    path: string,
    depth: number,
  ): void {
    if (depth === 0) return
    listOf(node['item']).forEach((item, at) => {
      if (!isObject(item)) return
      const place = `${path}.item[${at}]`
      const part = this.linkIds.get(textOf(item['linkId'])?.split('/').at(-1) ?? '')
      const [answer] = listOf(item['answer'])
      if (part !== undefined && isObject(answer))
        this.add(
          values,
          part,
          this.valueOf(answer, 'QuestionnaireResponse.item.answer'),
          entry,
          `${place}.answer[0].value`,
        )
      this.readItems(values, item, entry, place, depth - 1)
    })
  }

  private partOf(code: unknown): string | undefined {
    for (const { system, code: each } of codingsOf(code)) {
      const part = this.parts.get(`${system}|${each}`)
      if (part !== undefined) return part
    }
    return undefined
  }
}

/** A member of another patient is not a part of this one's assessment. */
function isOfSame(a: Entry, b: Entry, { resolve }: Observations): boolean {
  const [first, second] = [a, b].map((entry) => {
    const { subject } = entry.resource
    return isObject(subject) ? resolve(subject['reference'], entry) : undefined
  })
  return first !== undefined && first === second
}
