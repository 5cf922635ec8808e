/** A scale in its four shapes: a total with components, a panel with members, a QuestionnaireResponse, or single items. */
import type { ScaleDefinition } from 'patient-risk-engine/definition'
import { FHIR_REASONS, type MappedCoding } from '@patient-risk/catalog'
import { formatDate, type Json, inside, isObject, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../remote/elements.ts'
import { pointsOf, singleValue } from '../evaluator.ts'
import { type Finding, type Reason, foundAt, missing } from './finding.ts'
import { FIELD_SYSTEM, codingsOf } from '../codings.ts'
import type { Entry } from './body/entry.ts'
import { type Chart, type Dated, hasValue, keyOf, mayCount } from './chart.ts'
import { type Moment, daysOf } from './moment.ts'
import { isCounted, latestOf, mayBeLater } from './rules.ts'

/** Findings by the name of the item, or `total`. */
type Values = Map<string, Finding>

interface Assessment {
  readonly moment: Moment | undefined
  readonly values: Values
}

interface ScaleSearch {
  readonly chart: Chart
  readonly byCode: ReadonlyMap<string, string>
  readonly byLinkId: ReadonlyMap<string, string>
  readonly used: Set<Entry>
}

const DEEPEST = 8

/** The values of a scale by the names of their fields; empty where there is no assessment in the window. */
export function findScale(
  { id, items }: ScaleDefinition,
  chart: Chart,
): { readonly fields: ReadonlyMap<string, Finding>; readonly why: Reason; readonly doubt?: Finding } {
  const { scales, scaleWindow: window } = chart.mapping
  const rules = scales[id] ?? {}
  const own = (part: string): MappedCoding => ({ system: FIELD_SYSTEM, code: `${id}_${part}` })
  const codes = new Map([['total', [...(rules.total ?? []), own('total')]]])
  for (const item of Object.keys(items)) codes.set(item, [...(rules.items?.[item] ?? []), own(item)])
  const pairs = [...codes].flatMap(([part, codings]) => codings.map((coding) => ({ part, coding })))
  const search: ScaleSearch = {
    chart,
    byCode: new Map(pairs.map(({ part, coding }) => [keyOf(coding), part])),
    byLinkId: new Map(pairs.map(({ part, coding }) => [coding.code, part])),
    used: new Set(),
  }
  const doubts: Dated[] = []
  const find = (codings: readonly MappedCoding[]): readonly Dated[] => {
    const { found, doubtful } = chart.find(codings, window)
    for (const each of doubtful) doubts.push(each)
    return found
  }
  const assessments: Assessment[] = []
  for (const { entry, moment } of [...find(rules.panel ?? []), ...find(codes.get('total') ?? [])]) {
    if (search.used.has(entry)) continue
    const values: Values = new Map()
    readObservation(search, values, entry, DEEPEST)
    assessments.push({ moment, values })
  }
  const { entries, leftOut } = chart.subject
  const responses = new Set(entries.filter(({ type }) => type === 'QuestionnaireResponse'))
  for (const entry of [...responses, ...(leftOut.get('QuestionnaireResponse') ?? [])]) {
    const counts = isCounted('QuestionnaireResponse', entry.resource['status'])
    const dated = chart.dated(entry)
    const isWithin = chart.isWithin(window, dated)
    if (search.used.has(entry) || counts === false || isWithin === false) continue
    const values = readResponse(search, entry)
    if (values.size === 0) continue
    if (isWithin === true && counts === true && responses.has(entry))
      assessments.push({ moment: dated.moment, values })
    else doubts.push(dated)
  }
  if (assessments.length === 0)
    assessments.push(...singleItems(Object.keys(items), (item) => find(codes.get(item) ?? [])))
  const latest = latestOf(assessments, ({ values }) =>
    [...values].map(([name, each]) => [name, each.why === undefined && each.value]),
  )
  const rival = doubts.find((each) => mayBeLater(each, { moment: latest?.moment }))
  if (rival !== undefined) {
    const why = mayCount(rival)
    return { fields: new Map(), why, doubt: missing(why, rival.entry.path, 'incomplete') }
  }
  if (latest === undefined) {
    const text = assessments.length === 0 ? FHIR_REASONS.noAssessment : FHIR_REASONS.severalAssessments
    return { fields: new Map(), why: { text } }
  }
  const fields = new Map([...latest.values].map(([name, finding]) => [`${id}_${name}`, finding]))
  if (latest.moment?.precision === 'day') {
    const from = [...latest.values.values()].flatMap((finding) => finding.from)
    fields.set(`${id}_date`, { value: formatDate(latest.moment.day), from: [...new Set(from)] })
  }
  return { fields, why: { text: FHIR_REASONS.notInAssessment } }
}

/** Items that came one by one belong together when they are of the same day. */
function singleItems(
  items: readonly string[],
  find: (item: string) => readonly Dated[],
): readonly Assessment[] {
  const found = items.flatMap((item) => find(item).map((each) => ({ item, ...each })))
  return [...Map.groupBy(found, ({ moment }) => moment?.day).values()].map((ofDay) => {
    const values: Values = new Map()
    for (const { item, entry } of ofDay)
      add(values, item, singleValue('value', entry.resource), entry, 'value')
    const { moment } = ofDay[0] as Dated
    return { moment: moment && daysOf(moment), values }
  })
}

/** A part that is given twice in one assessment with different values has no value that could be trusted. */
function add(values: Values, part: string, value: unknown, entry: Entry, element: string): void {
  const at = `${entry.path}.${element}`
  const found = value === undefined ? { why: { text: FHIR_REASONS.noValue } } : pointsOf(value)
  const finding = foundAt(at, entry, found)
  const known = values.get(part) ?? finding
  const isSame = known === finding || (!(known.why ?? finding.why) && known.value === finding.value)
  const twice = missing(FHIR_REASONS.givenTwice, at, 'multiple-matches')
  values.set(part, isSame ? finding : twice)
}

function readObservation(search: ScaleSearch, values: Values, entry: Entry, depth: number): void {
  const { chart, used } = search
  const { linked, resolve } = chart.submission
  if (used.has(entry) || depth === 0) return
  used.add(entry)
  const { resource } = entry
  const part = partOf(search, resource['code'])
  const isTotal = Object.keys(resource).some((key) => key.startsWith('value'))
  if (part !== undefined && isTotal) add(values, part, singleValue('value', resource), entry, 'value')
  allOf(resource['component']).forEach((component, at) => {
    const item = partOf(search, inside(component, 'code'))
    if (!isObject(component) || item === undefined || component['dataAbsentReason'] !== undefined) return
    const value = singleValue('value', component, 'Observation.component')
    add(values, item, value, entry, `component[${at}].value`)
  })
  for (const member of [...allOf(resource['hasMember']), ...allOf(resource['derivedFrom'])]) {
    const other = resolve(inside(member, 'reference'), entry)
    // A member of another patient is not a part of this one's assessment.
    if (other === undefined || linked(other, 'subject') !== chart.subject.patient) continue
    if (other.type === 'Observation' && hasValue({ entry: other }) === true)
      readObservation(search, values, other, depth - 1)
    else if (other.type === 'QuestionnaireResponse') {
      used.add(other)
      for (const [name, finding] of readResponse(search, other))
        if (!values.has(name)) values.set(name, finding)
    }
  }
}

function readResponse({ byLinkId }: ScaleSearch, entry: Entry): Values {
  const values: Values = new Map()
  const readItems = (node: Json, path: string, depth: number): void => {
    allOf(node['item']).forEach((item, at) => {
      if (!isObject(item) || depth === 0) return
      const place = `${path}item[${at}].`
      const part = byLinkId.get(textOf(item['linkId'])?.split('/').at(-1) ?? '')
      const [answer, another] = allOf(item['answer'])
      if (part !== undefined && another !== undefined)
        values.set(
          part,
          missing(FHIR_REASONS.severalAnswers, `${entry.path}.${place}answer`, 'multiple-matches'),
        )
      else if (part !== undefined && isObject(answer)) {
        const value = singleValue('value', answer, 'QuestionnaireResponse.item.answer')
        add(values, part, value, entry, `${place}answer[0].value`)
      }
      readItems(item, place, depth - 1)
    })
  }
  readItems(entry.resource, '', DEEPEST)
  return values
}

function partOf({ byCode }: ScaleSearch, code: unknown): string | undefined {
  return codingsOf(code).flatMap((coding) => byCode.get(keyOf(coding)) ?? [])[0]
}
