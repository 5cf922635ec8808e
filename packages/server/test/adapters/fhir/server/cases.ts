/**
 * The patients that are loaded into HAPI. Times are counted back from now, because a hook has no moment of its own; those from the
 * files of the other tests have the moment of these files.
 */
import { type Resource, bundleFile, condition, encounter, observation, patient, ucum } from '../source.ts'

export interface Case {
  /** The id of the Patient. */
  readonly id: string
  readonly what: string
  /** The moment at which it is judged. */
  readonly asOf: string
  readonly resources: readonly Resource[]
}

/** The ids of all patients begin so, and nothing else does: a log must not contain it. */
export const MARK = 'fetched-'
const DAY_MS = 86_400_000
const now = Date.now()
const day = (daysAgo: number): string => new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10)
// Noon in UTC falls on the same day in every zone of Europe.
const noon = (daysAgo: number): string => `${day(daysAgo)}T12:00:00Z`
export const TODAY = day(0)

interface Visit {
  readonly kind: 'IMP' | 'EMER' | 'AMB'
  /** Days ago. */
  readonly from: number
  readonly to?: number
  readonly more?: Resource
}

/** A patient with visits; the first is the index stay. */
function made(name: string, what: string, visits: readonly Visit[], more: Partial<MadeMore> = {}): Case {
  const id = MARK + name
  const subject = { reference: `Patient/${id}` }
  const own = (resource: Resource): Resource => ({
    ...resource,
    id: `${name}-${String(resource['id'])}`,
    subject,
  })
  const encounters = visits.map(({ kind, from, to, more: extra }, at) =>
    own(encounter(String(at), kind, noon(from), to === undefined ? undefined : noon(to), extra)),
  )
  const others = (more.others ?? []).map(own)
  return { id, what, asOf: TODAY, resources: [patient({ id, ...more.patient }), ...encounters, ...others] }
}

interface MadeMore {
  readonly patient: Resource
  readonly others: readonly Resource[]
}

export const indexOf = ({ resources }: Case): string => String(resources[1]?.['id'])

/** 60 visits in the year before the stay, and 20 from before that year. */
const FREQUENT: readonly Visit[] = Array.from({ length: 80 }, (_, at) => {
  const from = 12 + at * 6
  if (at % 20 === 7) return { kind: 'IMP', from, to: from - 2 }
  return { kind: at % 6 === 1 ? 'EMER' : 'AMB', from, to: from }
})

/** An emergency admission to general medicine: with these every model can know what it asks of the stay. */
const ADMITTED: Resource = {
  priority: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ActPriority', code: 'EM' }] },
  serviceType: { coding: [{ system: 'http://snomed.info/sct', code: '394802001' }] },
}
const stay: Visit = { kind: 'IMP', from: 8, to: 1, more: ADMITTED }
const effective = { effectiveDateTime: noon(2) }
const recorded = { recordedDate: day(200), onsetDateTime: day(200) }

export const PLAIN = made('plain', 'a stay, an earlier stay and two emergency visits', [
  stay,
  { kind: 'IMP', from: 120, to: 115 },
  { kind: 'EMER', from: 60, to: 60 },
  { kind: 'EMER', from: 200, to: 200 },
])

export const MANY = made('many', 'more visits than a page holds', [stay, ...FREQUENT])

export const LONG = made('long', 'a stay longer than two months, with visits from before the usual window', [
  { kind: 'IMP', from: 76, to: 1, more: ADMITTED },
  // In the year before admission, and more than 13 months ago.
  { kind: 'IMP', from: 425, to: 420 },
  { kind: 'EMER', from: 410, to: 410 },
  // Before that year.
  { kind: 'IMP', from: 470, to: 460 },
])

export const OPEN = made('open', 'a stay that has not ended', [
  { kind: 'IMP', from: 3, more: { ...ADMITTED, status: 'in-progress' } },
  { kind: 'IMP', from: 100, to: 90 },
])

export const SICK = made(
  'sick',
  'measurements, diagnoses and a procedure',
  [stay, { kind: 'IMP', from: 300, to: 290 }],
  {
    others: [
      observation('hb', '718-7', ucum(10.4, 'g/dL'), effective),
      observation('na', '2951-2', ucum(132, 'mmol/L'), effective),
      // More measurements than a page holds; the newest counts.
      ...Array.from({ length: 15 }, (_, at) =>
        observation(`hb-${at}`, '718-7', ucum(13, 'g/dL'), { effectiveDateTime: noon(3 + at) }),
      ),
      condition('heart-failure', 'I50.0', recorded),
      condition('diabetes', 'E11.9', recorded),
      ...Array.from({ length: 15 }, (_, at) => condition(`other-${at}`, `H${10 + at}`, recorded)),
      condition('infarction', 'I25.2', recorded),
      {
        resourceType: 'Procedure',
        id: 'operation',
        status: 'completed',
        code: { coding: [{ system: 'http://snomed.info/sct', code: '80146002' }] },
        performedDateTime: noon(5),
      },
    ],
  },
)

const own = (code: string): Resource => ({ coding: [{ system: 'urn:patient-risk:fields', code }] })
const BARTHEL = [
  '83184-2',
  '83181-8',
  '96767-9',
  '83182-6',
  '96759-6',
  '96760-4',
  '83183-4',
  '83185-9',
  '83186-7',
  '96758-8',
]

export const FRAIL = made(
  'frail',
  'a delirium in the last stay, which was years ago, and a questionnaire',
  [stay, { kind: 'IMP', from: 1500, to: 1490 }],
  {
    others: [
      observation('hb', '718-7', ucum(10.4, 'g/dL'), effective),
      observation('nyha', '88020-3', undefined, {
        ...effective,
        valueCodeableConcept: { coding: [{ system: 'http://loinc.org', code: 'LA28406-9' }] },
      }),
      observation('caregiver', '', undefined, {
        ...effective,
        code: own('caregiver'),
        valueString: 'spouse',
      }),
      condition('delirium', 'F05.9', {
        encounter: { reference: 'Encounter/frail-1' },
        recordedDate: day(1495),
        onsetDateTime: day(1495),
      }),
      condition('tumour', 'C34.9', recorded),
      {
        resourceType: 'QuestionnaireResponse',
        id: 'barthel',
        status: 'completed',
        authored: noon(2),
        item: BARTHEL.map((code) => ({ linkId: `/${code}`, answer: [{ valueInteger: 5 }] })),
      },
    ],
  },
)

const CASES_MADE: readonly Case[] = [
  PLAIN,
  MANY,
  LONG,
  OPEN,
  made('first', 'no visit before the stay', [stay]),
  SICK,
  FRAIL,
  made('no-birth-date', 'a Patient without birth date', [stay], { patient: { birthDate: undefined } }),
  made('died', 'a patient who has died', [stay], { patient: { deceasedDateTime: noon(1) } }),
  made('no-visit', 'a Patient without any visit', []),
]

/** The patients of a file, with ids of their own, because HAPI holds every file. */
function fromFile(name: string, asOf: string): readonly Case[] {
  const entries = bundleFile(name)['entry'] as readonly { fullUrl: string; resource: Resource }[]
  const idOf = (url: string): string => {
    const [, site = '', type = '', id = ''] = /^https:\/\/([a-z]+)[^/]*\/fhir\/(\w+)\/(.+)$/.exec(url) ?? []
    return `${type === 'Patient' ? MARK : ''}${name}-${site}-${id}`
  }
  const renamed = entries.map(({ fullUrl, resource }) => {
    const server = fullUrl.slice(0, -`${String(resource['resourceType'])}/${String(resource['id'])}`.length)
    const text = JSON.stringify({ ...resource, id: idOf(fullUrl) })
    return JSON.parse(text, (key, value: unknown) => {
      if (key !== 'reference' || typeof value !== 'string') return value
      const absolute = value.startsWith('https:') ? value : server + value
      return `${absolute.split('/').at(-2)}/${idOf(absolute)}`
    }) as Resource
  })
  const patients = renamed.filter(({ resourceType }) => resourceType === 'Patient')
  return patients.map(({ id }) => {
    const own = renamed.filter((resource) => {
      const { reference } = (resource['subject'] ?? {}) as { reference?: string }
      return resource['id'] === id || reference === `Patient/${String(id)}`
    })
    return { id: String(id), what: `${name}.json`, asOf, resources: own }
  })
}

export const CASES: readonly Case[] = [
  ...CASES_MADE,
  ...['01-complete', '02-missing-birthdate', '03-two-patients'].flatMap((name) =>
    fromFile(name, '2026-03-09'),
  ),
]
