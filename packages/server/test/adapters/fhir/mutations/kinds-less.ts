/** Changes that remove knowledge or leave something open. The number stays, or is missing with a reason. */
import type { Resource } from '../source.ts'
import {
  type Kind,
  adding,
  changing,
  classOf,
  codingsIn,
  each,
  entriesIn,
  one,
  references,
  texts,
  typeOf,
  withEntries,
  without,
} from './changes.ts'
import { mappedBy } from './kinds-same.ts'
import { OTHER_EQUIVALENCES } from './maps.ts'
import { MODELS_OF_30_DAYS } from './numbers.ts'
import type { Written } from './true-bundles.ts'

const CERTAINTY = 'http://fhir.de/StructureDefinition/icd-10-gm-diagnosesicherheit'
const CLINICAL = ['Encounter', 'Observation', 'Condition', 'Procedure']
const NOT = { modifierExtension: [{ url: 'https://h.example/not', valueBoolean: true }] }
const dropped = (name: string, types: readonly string[], ...elements: readonly string[]): readonly Kind[] => [
  one(`one without ${name}`, types, (resource) => without(resource, ...elements)),
  each(`all without ${name}`, types, (resource) => without(resource, ...elements)),
]
const shortened = (name: string, length: number): readonly Kind[] => {
  const shorten = (resource: Resource): Resource =>
    texts(resource, (text) => (/^\d{4}-\d\d-\d\d/.test(text) ? text.slice(0, length) : text)) as Resource
  return [one(`one with ${name}`, CLINICAL, shorten), each(`all with ${name}`, CLINICAL, shorten)]
}
/** Every time as another clock shows it, at the same instant. */
const moved = (name: string, hours: number): readonly Kind[] => {
  const sign = hours < 0 ? '-' : '+'
  const offset = `${sign}${String(Math.abs(hours)).padStart(2, '0')}:00`
  const move = (resource: Resource): Resource =>
    texts(resource, (text) => {
      if (!/^\d{4}-\d\d-\d\dT.*\+01:00$/.test(text)) return text
      const shown = new Date(Date.parse(text) + hours * 3_600_000).toISOString()
      return shown.slice(0, 19) + offset
    }) as Resource
  return [one(`one with times of ${name}`, CLINICAL, move), each(`all with times of ${name}`, CLINICAL, move)]
}
const subject = (name: string, more: Resource): Kind =>
  one(`one whose subject is ${name}`, CLINICAL, (resource) => ({ ...resource, ...more }))
const body = (name: string, more: Resource): Kind => ({
  name,
  change: (written) => ({ ...written, body: { ...written.body, ...more } }),
})
const asked = (name: string, change: (query: Written['query']) => Written['query']): Kind => ({
  name,
  change: (written) => ({ ...written, query: change(written.query) }),
})
const quantity = (resource: Resource, change: (value: Resource) => Resource): Resource =>
  resource['valueQuantity'] === undefined
    ? resource
    : { ...resource, valueQuantity: change(resource['valueQuantity'] as Resource) }
const elsewhere = (text: string, base: string): string => (text.includes(':') ? text : `${base}/${text}`)
const isStay = (resource: Resource): boolean =>
  typeOf(resource) === 'Encounter' && classOf(resource) === 'IMP'
const staysOf = (written: Written): readonly Resource[] =>
  entriesIn(written).flatMap(({ resource }) => (isStay(resource) ? [resource] : []))
const earlierStays = (written: Written): readonly Resource[] =>
  staysOf(written).filter(
    ({ id, period }) =>
      String(id).startsWith('stay') && (period as Resource | undefined)?.['start'] !== undefined,
  )
const weeksLater = (stay: Resource): string => {
  const { start } = stay['period'] as { start: string }
  return new Date(Date.parse(start) + 20 * 86_400_000).toISOString().replace('.000Z', 'Z')
}
/** Another stay, some weeks before. */
const EXTRA = (stay: Resource): Resource => ({
  ...without(stay, 'identifier'),
  id: 'extra',
  period: { start: '2026-01-10T09:00:00+01:00', end: '2026-01-12T09:00:00+01:00' },
})
const link = (type: string): Kind =>
  each(`a link to another record, ${type}`, ['Patient'], (resource) => ({
    ...resource,
    link: [{ type, other: { reference: 'Patient/p9' } }],
  }))

export const LESS: readonly Kind[] = [
  references('references with another scheme', (text) => elsewhere(text, 'http://h.example/fhir')),
  references('references with another name of the server', (text) =>
    elsewhere(text, 'https://fhir.h.example/r4'),
  ),
  one('one reference with another scheme', CLINICAL, (resource) => ({
    ...resource,
    subject: { reference: 'http://h.example/fhir/Patient/p1' },
  })),
  one('one reference with another port', CLINICAL, (resource) => ({
    ...resource,
    subject: { reference: 'https://h.example:8443/fhir/Patient/p1' },
  })),
  changing('one entry with the address of another server', (written, random) => {
    const entries = entriesIn(written)
    const place = 1 + random.below(Math.max(1, entries.length - 1))
    return withEntries(
      written,
      entries.map((entry, at) => {
        const resource = entry.resource as Resource | undefined
        const fullUrl = `https://other.example/${typeOf(resource)}/${String(resource?.['id'])}`
        return at === place ? { ...entry, fullUrl } : entry
      }),
    )
  }),
  subject('nothing', { subject: undefined }),
  subject('an identifier', { subject: { identifier: { system: 'urn:example:mrn', value: '17' } } }),
  subject('a contained Patient', {
    subject: { reference: '#p' },
    contained: [{ resourceType: 'Patient', id: 'p' }],
  }),
  subject('a display', { subject: { display: 'Anna' } }),
  subject('a search', { subject: { reference: 'Patient?identifier=urn:example:mrn|17' } }),
  subject('a Group', { subject: { reference: 'Group/g' } }),
  subject('the same id in capitals', { subject: { reference: 'Patient/P1' } }),
  subject('the same id in capitals on the server', {
    subject: { reference: 'https://h.example/fhir/Patient/P1' },
  }),
  ...['SUBSETTED', 'REDACTED'].map((code) =>
    one(`one that was sent in part (${code})`, [...CLINICAL, 'Patient'], (resource) => ({
      ...resource,
      meta: { tag: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code }] },
    })),
  ),
  one('one stay that ends before it begins', ['Encounter'], (resource) => {
    const { start, end } = (resource['period'] ?? {}) as Resource
    return { ...resource, period: { start: end, end: start } }
  }),
  each('an end of Conditions that is not known', ['Condition'], (resource) => ({
    ...resource,
    _abatementDateTime: {
      extension: [
        { url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' },
      ],
    },
  })),
  subject('a urn', { subject: { reference: 'urn:uuid:00000000-0000-4000-8000-00000000abcd' } }),
  one('one with a modifierExtension', [...CLINICAL, 'Patient'], (resource) => ({ ...resource, ...NOT })),
  one('one with implicitRules', [...CLINICAL, 'Patient'], (resource) => ({
    ...resource,
    implicitRules: 'https://h.example/r',
  })),
  one('one with a modifier inside', ['Encounter'], (resource) => ({ ...resource, hospitalization: NOT })),
  one('one value about something else', ['Observation'], (resource) => ({
    ...resource,
    focus: [{ reference: 'Device/d' }],
  })),
  body('a history', { type: 'history' }),
  body('a Bundle without a type', { type: undefined }),
  body('a Bundle of a type that does not exist', { type: 'nonsense' }),
  body('one page of several', { link: [{ relation: 'next', url: 'https://h.example/2' }] }),
  body('a result with a higher total', { type: 'searchset', total: 1_000 }),
  body('implicit rules for all', { implicitRules: 'https://h.example/r' }),
  changing('an entry without its resource', (written, random) => {
    const entries = entriesIn(written)
    const place = 1 + random.below(Math.max(1, entries.length - 1))
    return withEntries(
      written,
      entries.map((entry, at) => (at === place ? { fullUrl: entry.fullUrl } : entry)),
    )
  }),
  adding('a search that failed', () => [
    { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'timeout' }] },
  ]),
  asked('no statement that the history is complete', ({ asOf = '' }) => ({ asOf })),
  // The end of the named stay is the moment then, and a period of 30 days is over.
  {
    ...asked('no moment, but a named stay', ({ history = '' }) => ({
      history,
      encounter: 'Encounter/index',
    })),
    gone: MODELS_OF_30_DAYS,
  },
  asked('a moment without a time', ({ asOf = '', ...query }) => ({ ...query, asOf: asOf.slice(0, 10) })),
  link('replaced-by'),
  link('replaces'),
  link('refer'),
  link('seealso'),
  adding('a second record with the same number', (written) => {
    const [own] = entriesIn(written).filter(({ resource }) => typeOf(resource) === 'Patient')
    return own === undefined ? [] : [{ ...own.resource, id: 'p3', birthDate: '1950-01-01' }]
  }),
  adding('the stays again under another id', (written) =>
    staysOf(written).map((stay) => ({ ...stay, id: `twice-${String(stay['id'])}` })),
  ),
  adding('ward moves that are not linked', (written) =>
    staysOf(written).map((stay) => ({ ...without(stay, 'identifier'), id: `ward-${String(stay['id'])}` })),
  ),
  adding('a stay that a modifier negates', (written) =>
    staysOf(written)
      .slice(0, 1)
      .map((stay) => ({ ...EXTRA(stay), ...NOT })),
  ),
  adding('a stay with implicit rules', (written) =>
    staysOf(written)
      .slice(0, 1)
      .map((stay) => ({ ...EXTRA(stay), implicitRules: 'https://h.example/r' })),
  ),
  changing('a history with a stay that is not there any more', (written) => {
    const [stay] = staysOf(written)
    if (stay === undefined) return written
    const old = { resource: EXTRA(stay), request: { method: 'PUT', url: 'Encounter/extra' } }
    const changed = withEntries(written, [...entriesIn(written), old])
    return { ...changed, body: { ...changed.body, type: 'history' } }
  }),
  ...[[{ reference: 'Device/d' }], { reference: 'Device/d' }].map((focus) =>
    adding(
      `later values that are about something else, ${Array.isArray(focus) ? '' : 'not '}in a list`,
      (written) =>
        entriesIn(written).flatMap(({ resource }) => {
          const value = (resource as Resource | undefined)?.['valueQuantity'] as { value: number } | undefined
          if (value === undefined) return []
          return {
            ...resource,
            id: `focus-${String(resource['id'])}`,
            effectiveDateTime: written.query['asOf']?.replace('T12', 'T11'),
            valueQuantity: { ...value, value: value.value + 1 },
            focus,
          }
        }),
    ),
  ),
  adding('earlier stays recorded twice, with one number', (written) =>
    earlierStays(written).map((stay) => ({
      ...stay,
      id: `twice-${String(stay['id'])}`,
      period: { start: weeksLater(stay) },
    })),
  ),
  adding('earlier stays recorded twice, overlapping', (written) =>
    earlierStays(written).map((stay) => {
      const { start } = stay['period'] as { start: string }
      const period = { ...(stay['period'] as Resource), start: start.replace('T09', 'T10') }
      return { ...without(stay, 'identifier'), id: `ward-${String(stay['id'])}`, period }
    }),
  ),
  one('one visit of nobody', ['Encounter'], (resource) => without(resource, 'subject')),
  one('one diagnosis of nobody', ['Condition'], (resource) => without(resource, 'subject')),
  changing('one reading of the last round is gone', (written, random) => {
    const late = entriesIn(written).filter(({ resource }) =>
      /^late-\d/.test(String((resource as Resource | undefined)?.['id'])),
    )
    const lost = random.pick(late)
    return withEntries(
      written,
      entriesIn(written).filter((entry) => entry !== lost),
    )
  }),
  ...dropped('a status', ['Encounter', 'Observation', 'Procedure'], 'status'),
  ...dropped('a class', ['Encounter'], 'class'),
  ...dropped('a period', ['Encounter'], 'period'),
  one('one without a start', ['Encounter'], (resource) => ({
    ...resource,
    period: without(resource['period'] as Resource | undefined, 'start'),
  })),
  one('one without an end', ['Encounter'], (resource) => ({
    ...resource,
    period: without(resource['period'] as Resource | undefined, 'end'),
  })),
  each('all without an end', ['Encounter'], (resource) => ({
    ...resource,
    period: without(resource['period'] as Resource | undefined, 'end'),
  })),
  ...dropped('a time', ['Observation'], 'effectiveDateTime'),
  ...dropped('an Encounter', ['Observation', 'Condition', 'Procedure'], 'encounter'),
  ...dropped(
    'a time and an Encounter',
    ['Observation', 'Procedure'],
    'effectiveDateTime',
    'performedDateTime',
    'encounter',
  ),
  ...dropped('a date of recording', ['Condition'], 'recordedDate'),
  ...dropped('dates', ['Condition'], 'recordedDate', 'onsetDateTime'),
  // Where the status does not say either that it is over, nothing would.
  each('diagnoses with a status and without an end', ['Condition'], (resource) =>
    resource['clinicalStatus'] === undefined ? resource : without(resource, 'abatementDateTime'),
  ),
  ...dropped('a code', ['Condition'], 'code'),
  ...dropped('a birth date', ['Patient'], 'birthDate'),
  ...dropped('a gender', ['Patient'], 'gender'),
  ...moved('New York', -5),
  ...moved('Tokyo', 9),
  ...moved('the Line Islands', 14),
  ...shortened('dates without times', 10),
  ...shortened('months only', 7),
  ...shortened('years only', 4),
  each('a birth date without its day', ['Patient'], (resource) => ({
    ...resource,
    birthDate: String(resource['birthDate']).slice(0, 7),
  })),
  each('a birth year', ['Patient'], (resource) => ({
    ...resource,
    birthDate: String(resource['birthDate']).slice(0, 4),
  })),
  each('values without a unit', ['Observation'], (resource) =>
    quantity(resource, ({ value }) => ({ value })),
  ),
  one('one value without a unit', ['Observation'], (resource) =>
    quantity(resource, ({ value }) => ({ value })),
  ),
  one('one value with a unit of another system', ['Observation'], (resource) =>
    quantity(resource, (value) => ({ ...value, system: 'https://h.example/units' })),
  ),
  one('one value with a comparator', ['Observation'], (resource) =>
    quantity(resource, (value) => ({ ...value, comparator: '<' })),
  ),
  one('one status of an unknown value', ['Encounter', 'Observation', 'Procedure'], (resource) => ({
    ...resource,
    status: 'unknown',
  })),
  one('one class that is not known', ['Encounter'], (resource) => ({
    ...resource,
    class: { system: 'https://h.example/classes', code: 'ward' },
  })),
  each('verification statuses of another system', ['Condition'], (resource) => ({
    ...resource,
    verificationStatus: { coding: [{ system: 'https://h.example/status', code: 'confirmed' }] },
  })),
  each('clinical statuses as texts', ['Condition'], (resource) => ({
    ...resource,
    clinicalStatus: { text: 'Active' },
  })),
  each('active diagnoses with an end', ['Condition'], (resource) =>
    resource['abatementDateTime'] === undefined
      ? resource
      : {
          ...resource,
          clinicalStatus: {
            coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }],
          },
        },
  ),
  ...[one, each].map((some) =>
    some(
      `ICD-10 codes of three characters (${some.name})`,
      ['Condition'],
      (resource) =>
        texts(resource, (text, key) =>
          key === 'code' && /^[A-Z]\d\d\./.test(text) ? text.slice(0, 3) : text,
        ) as Resource,
    ),
  ),
  each(
    'ICD-10 blocks',
    ['Condition'],
    (resource) =>
      texts(resource, (text, key) =>
        key === 'code' && /^[A-Z]\d\d/.test(text) ? `${text.slice(0, 2)}0-${text.slice(0, 2)}9` : text,
      ) as Resource,
  ),
  each('diagnoses that a German code excludes', ['Condition'], (resource) => {
    const coding = codingsIn(resource)
    const extension = [{ url: CERTAINTY, valueCoding: { code: 'A' } }]
    return { ...resource, code: { coding: coding.map((each) => ({ ...each, extension })) } }
  }),
  ...OTHER_EQUIVALENCES.map((way) =>
    each(`diagnoses under codes that maps leave open (${way})`, ['Condition'], mappedBy(way)),
  ),
  each('diagnoses under a code that no map knows', ['Condition'], mappedBy('newer')),
  changing('earlier stays, values and diagnoses inside the index stay (contained)', (written) => {
    const entries = entriesIn(written)
    const isInner = ({ resource }: { readonly resource: Resource }): boolean =>
      /^(stay|visit|condition|hb|late|procedure)/.test(String((resource as Resource | undefined)?.['id']))
    const contained = entries.filter(isInner).map(({ resource }) => resource)
    const outer = entries.filter((entry) => !isInner(entry))
    if (contained.length === 0) return written
    return withEntries(
      written,
      outer.map((entry) =>
        String((entry.resource as Resource | undefined)?.['id']) === 'index'
          ? { ...entry, resource: { ...entry.resource, contained } }
          : entry,
      ),
    )
  }),
  changing('stays that are parts of another one', (written, random) => {
    const stays = staysOf(written).map(({ id }) => String(id))
    const whole = { reference: `Encounter/${random.pick(stays)}` }
    return withEntries(
      written,
      entriesIn(written).map((entry) => {
        const resource = entry.resource as Resource | undefined
        return resource !== undefined && earlierStays(written).includes(resource)
          ? { ...entry, resource: { ...resource, partOf: whole } }
          : entry
      }),
    )
  }),
  one('one stay of the year 1', ['Encounter'], (resource) => ({
    ...resource,
    period: { ...(resource['period'] as Resource | undefined), start: '0001-01-01T00:00:00Z' },
  })),
  adding('a stay that begins at the moment', (written) =>
    staysOf(written)
      .slice(0, 1)
      .map((stay) => ({
        ...without(stay, 'identifier'),
        id: 'at-the-moment',
        period: { start: written.query['asOf'] },
      })),
  ),
  body('a total that is a text', { type: 'searchset', total: '1000' }),
  body('a next page outside of a list', { link: { relation: 'next', url: 'https://h.example/2' } }),
  each('a death that is a text', ['Patient'], (resource) => ({ ...resource, deceasedBoolean: 'true' })),
  each('diagnoses in SNOMED CT', ['Condition'], (resource) => ({
    ...resource,
    code: { coding: [{ system: 'http://snomed.info/sct', code: '1' }] },
  })),
]
