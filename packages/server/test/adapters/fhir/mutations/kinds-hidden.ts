/**
 * Changes that hide something and leave a trace of it: a latest value that is not told, a result whose address, links or total say that it
 * is a part, a visit that is written twice with less. The number stays, or is missing with a reason.
 */
import type { Resource } from '../source.ts'
import {
  type Kind,
  adding,
  codingsIn,
  each,
  entriesIn,
  one,
  without,
  typeOf,
  withEntries,
} from './changes.ts'
import { asked, losing } from './kinds-lost.ts'
import type { Written } from './true-bundles.ts'

const ABSENT = 'data-absent-reason'
const absent = (valueCode: string): Resource => ({
  extension: [{ url: `http://hl7.org/fhir/StructureDefinition/${ABSENT}`, valueCode }],
})
/** Values of the second round, which count. */
const isLatest = ({ id }: Resource): boolean => /^(hb2|na2|crea2|alb2|late-.*)$/.test(String(id))
const latest = (name: string, change: (resource: Resource) => Resource): Kind =>
  each(`the latest values ${name}`, ['Observation'], (resource) =>
    isLatest(resource) ? change(resource) : resource,
  )
const untold = (resource: Resource): Resource => without(resource, 'valueQuantity', 'valueCodeableConcept')
const reasoned = (resource: Resource, code: string): Resource => ({
  ...untold(resource),
  dataAbsentReason: { coding: [{ system: `http://terminology.hl7.org/CodeSystem/${ABSENT}`, code }] },
})
const withSystem = (resource: Resource, system: string | undefined): Resource => ({
  ...resource,
  code: { coding: codingsIn(resource).map(({ code }) => ({ system, code })) },
})

/** A result without the earlier stays that says in its own elements that it is a part. */
const part = (name: string, more: Resource): Kind =>
  losing(`earlier stays are gone from a result with ${name}`, (kept, _lost, written) => {
    const changed = withEntries(written, kept)
    return { ...changed, body: { ...changed.body, type: 'searchset', ...more } }
  })
const outcome = (name: string, more: Resource): Kind =>
  losing(`earlier stays are gone, and a message ${name}`, (kept, _lost, written) =>
    withEntries(written, [...kept, { resource: { resourceType: 'OperationOutcome', ...more } }]),
  )
const answered = (name: string, response: Resource): Kind =>
  losing(`a search for earlier stays is answered ${name}`, (kept, _lost, written) => {
    const empty = { resourceType: 'Bundle', type: 'searchset', entry: [] }
    const changed = withEntries(written, [...kept, { resource: empty, response }])
    return { ...changed, body: { ...changed.body, type: 'batch-response' } }
  })

const own = (written: Written, pattern: RegExp): readonly Resource[] =>
  entriesIn(written).flatMap(({ resource }) =>
    typeOf(resource) !== '' && pattern.test(String(resource['id'])) ? [resource] : [],
  )
const periodOf = (resource: Resource): { readonly start: string; readonly end: string } =>
  resource['period'] as { start: string; end: string }
/** The visits again without their number, and with another period. */
const again = (
  name: string,
  pattern: RegExp,
  period: (resource: Resource) => Resource,
  more: (resource: Resource) => Resource = () => ({}),
): Kind =>
  adding(name, (written) =>
    own(written, pattern).map((resource) => ({
      ...without(resource, 'identifier'),
      id: `again-${String(resource['id'])}`,
      period: period(resource),
      ...more(resource),
    })),
  )
const days = (resource: Resource): Resource => {
  const { start, end } = periodOf(resource)
  return { start: start.slice(0, 10), end: end.slice(0, 10) }
}
const STAYS = /^stay\d$/
const VISITS = /^visit\d$/
const startingAt = (name: string, start: string): Kind =>
  one(`one stay that begins ${name}`, ['Encounter'], (resource) =>
    resource['period'] === undefined ? resource : { ...resource, period: { ...periodOf(resource), start } },
  )

export const HIDDEN: readonly Kind[] = [
  latest('have no value', untold),
  latest('are hidden', (resource) => ({ ...untold(resource), _valueQuantity: absent('masked') })),
  ...['masked', 'unknown', 'as-text', 'error', 'not-permitted'].map((code) =>
    latest(`are absent: ${code}`, (resource) => reasoned(resource, code)),
  ),
  latest('are null', (resource) => ({ ...resource, valueQuantity: null })),
  latest('are under a name in capitals', ({ valueQuantity, ...resource }) => ({
    ...resource,
    ValueQuantity: valueQuantity,
  })),
  latest('have codes without a system', (resource) => withSystem(resource, undefined)),
  latest('have codes of LOINC by its name alone', (resource) => withSystem(resource, 'LOINC')),
  latest('have the first instant of computers', (resource) => ({
    ...resource,
    effectiveDateTime: '1970-01-01T00:00:00Z',
  })),
  each('a haemoglobin whose text is another unit that the field knows', ['Observation'], (resource) =>
    resource['id'] === 'hb2'
      ? {
          ...resource,
          valueQuantity: { value: 8.1, unit: 'mmol/L', system: 'http://unitsofmeasure.org', code: 'g/dL' },
        }
      : resource,
  ),
  asked('with everything from a day on', 'Patient/p1/$everything?start=2026-01-25'),
  asked('with everything since a change', 'Patient/p1/$everything?_since=2026-01-25'),
  asked('with everything of some types', 'Patient/p1/$everything?_type=Observation,Condition'),
  asked('with everything of one stay', 'Encounter/index/$everything'),
  asked('for an episode', 'Encounter?patient=p1&episode-of-care=e1'),
  asked('with a parameter of the server', 'Encounter?patient=p1&facility=H1'),
  asked('with a parameter in capitals', 'Encounter?patient=p1&Date=ge2026-01-25'),
  asked('with semicolons', 'Encounter?patient=p1;date=ge2026-01-25'),
  asked('from the second page on', 'Encounter?patient=p1&_offset=20'),
  part('two addresses', {
    link: ['', '&class=EMER'].map((more) => ({
      relation: 'self',
      url: `https://h.example/fhir/Encounter?patient=p1${more}`,
    })),
  }),
  part('its address in a collection', {
    type: 'collection',
    link: [{ relation: 'Self', url: 'https://h.example/fhir/Encounter?patient=p1&class=EMER' }],
  }),
  part('a next page and spaces', { link: [{ relation: ' next ', url: 'https://h.example/2' }] }),
  part('a link that says nothing', { link: [{ rel: 'next', url: 'https://h.example/2' }] }),
  part('a total that is no number', { total: '1,000' }),
  part('a total in a collection', { type: 'collection', total: 1_000 }),
  part('a label for a part', {
    meta: {
      tag: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' }],
    },
  }),
  losing('earlier stays in a list of another name', (kept, lost, written) => {
    const changed = withEntries(written, kept)
    return { ...changed, body: { ...changed.body, entries: lost } }
  }),
  losing('a modifier in what a result says of an entry', (kept, _lost, written) =>
    withEntries(
      written,
      kept.map((entry) => ({
        ...entry,
        search: { mode: 'match', modifierExtension: [{ url: 'https://h.example/not' }] },
      })),
    ),
  ),
  answered('with a warning that it is not complete', {
    status: '200',
    outcome: { resourceType: 'OperationOutcome', issue: [{ severity: 'warning', code: 'incomplete' }] },
  }),
  answered('in part', { status: '206 Partial Content' }),
  outcome('warns of what was forbidden', { issue: [{ severity: 'warning', code: 'forbidden' }] }),
  outcome('has no severity', { issue: [{ code: 'exception' }] }),
  outcome('says nothing', {}),
  again('earlier visits twice, once without times', VISITS, days),
  again('earlier visits twice, once without an end', VISITS, (each) => ({ start: periodOf(each).start })),
  again('earlier stays twice, once as emergency visits', STAYS, periodOf, (each) => ({
    class: { ...(each['class'] as Resource), code: 'EMER' },
  })),
  again(
    'earlier stays twice, once later and with their number alone',
    STAYS,
    (each) => ({
      start: `${periodOf(each).start.slice(0, 8)}28`,
      end: `${periodOf(each).start.slice(0, 8)}28`,
    }),
    ({ id }) => ({ identifier: [{ value: id }] }),
  ),
  startingAt('in 1900', '1900-01-01'),
  startingAt('at the first instant of computers', '1970-01-01T00:00:00Z'),
  each('earlier stays marked as parts, without their whole', ['Encounter'], (resource) =>
    STAYS.test(String(resource['id']))
      ? {
          ...resource,
          type: [
            { coding: [{ system: 'http://fhir.de/CodeSystem/Kontaktebene', code: 'abteilungskontakt' }] },
          ],
        }
      : resource,
  ),
  each('ICD-10 codes with the letter O for a zero', ['Condition'], (resource) => ({
    ...resource,
    code: {
      coding: codingsIn(resource).map((coding) => ({
        ...coding,
        code: String(coding['code']).replace(/(?<=.)0/g, 'O'),
      })),
    },
  })),
]
