/**
 * True Bundles: invented patients in which every model finds its inputs, with some earlier stays, visits, values and diagnoses, and with
 * facts that must not count. A seed gives the same Bundle each time.
 */
import { Random } from '../../../../../../test/support/random.ts'
import type { Resource } from '../source.ts'

export interface Written {
  readonly body: Resource
  readonly query: Readonly<Record<string, string>>
}

export const SERVER = 'https://h.example/fhir'
export const TIME_ZONE = 'Europe/Madrid'
const ACT = 'http://terminology.hl7.org/CodeSystem/v3-ActCode'
const LOINC = 'http://loinc.org'
const SUBJECT = { reference: 'Patient/p1' }
const INDEX = { reference: 'Encounter/index' }
const CLINICAL = 'http://terminology.hl7.org/CodeSystem/condition-clinical'
const VERIFICATION = 'http://terminology.hl7.org/CodeSystem/condition-ver-status'
const SERVICE = 'http://terminology.hl7.org/CodeSystem/service-type'
export const DIAGNOSES = [
  'I21.0',
  'I50.0',
  'E11.9',
  'E11.2',
  'N18.4',
  'J44.9',
  'C50.9',
  'I63.9',
  'K25.9',
  'F03',
  'I10',
]
const BARTHEL = {
  '83181-8': [0, 5],
  '83182-6': [0, 5, 10],
  '83184-2': [0, 5, 10],
  '83183-4': [0, 5, 10],
  '83185-9': [0, 5, 10, 15],
}
const OTHER_ITEMS = ['96767-9', '96759-6', '96760-4', '83186-7', '96758-8']

const concept = (system: string, code: string): Resource => ({ coding: [{ system, code }] })
const day = (from: Date, days: number): Date => new Date(from.getTime() + days * 86_400_000)
const two = (number: number): string => String(number).padStart(2, '0')
/** The time in Madrid, in winter. Summer time begins after the last of these days. */
export const timed = (date: Date, hour: number): string =>
  `${date.toISOString().slice(0, 10)}T${two(hour)}:00:00+01:00`

export function trueBundle(seed: number): Written {
  const random = new Random(seed)
  const admitted = day(new Date(Date.UTC(2026, 1, 1)), random.below(20))
  const discharged = day(admitted, 2 + random.below(12))
  const resources: Resource[] = [
    patientOf(random),
    {
      ...encounterOf('index', 'IMP', timed(admitted, 10), timed(discharged, 12)),
      priority: concept(
        'http://terminology.hl7.org/CodeSystem/v3-ActPriority',
        random.pick(['EM', 'EL', 'UR']),
      ),
      serviceType: concept(SERVICE, random.pick(['175', '165', '124'])),
    },
    ...visitsOf(random, admitted),
    ...valuesOf(random, admitted, discharged),
    ...vitalSigns(random, 'early', timed(day(admitted, 1), 6)),
    ...vitalSigns(random, 'late', timed(day(admitted, 1), 12)),
    ...conditionsOf(random, admitted),
    ...laterFacts(discharged),
  ]
  if (random.chance(0.5))
    resources.push({
      resourceType: 'Procedure',
      id: 'procedure',
      status: 'completed',
      subject: SUBJECT,
      encounter: INDEX,
      performedDateTime: timed(day(admitted, 1), 9),
    })
  const query = { history: 'complete', asOf: timed(discharged, 12) }
  return { body: writtenOnServer(resources), query }
}

/** The usual form: a collection with a fullUrl for each resource and relative references. */
export function writtenOnServer(resources: readonly Resource[]): Resource {
  const entry = resources.map((resource) => ({
    fullUrl: `${SERVER}/${String(resource['resourceType'])}/${String(resource['id'])}`,
    resource,
  }))
  return { resourceType: 'Bundle', type: 'collection', entry }
}

function patientOf(random: Random): Resource {
  return {
    resourceType: 'Patient',
    id: 'p1',
    identifier: [{ system: 'urn:example:mrn', value: '17' }],
    gender: random.pick(['female', 'male']),
    birthDate: `${1932 + random.below(20)}-0${1 + random.below(9)}-1${random.below(10)}`,
    maritalStatus: concept(
      'http://terminology.hl7.org/CodeSystem/v3-MaritalStatus',
      random.pick(['M', 'W', 'S']),
    ),
  }
}

function encounterOf(id: string, code: string, start: string, end: string): Resource {
  return {
    resourceType: 'Encounter',
    id,
    identifier: [{ system: 'urn:example:visit', value: id }],
    status: 'finished',
    class: { system: ACT, code },
    subject: SUBJECT,
    period: { start, end },
  }
}

function visitsOf(random: Random, admitted: Date): readonly Resource[] {
  const visits: Resource[] = []
  let back = 15
  for (let at = 0; at < random.below(5); at++) {
    back += 15 + random.below(60)
    const start = day(admitted, -back)
    visits.push(encounterOf(`stay${at}`, 'IMP', timed(start, 9), timed(day(start, 1 + random.below(6)), 11)))
  }
  for (let at = 0; at < random.below(4); at++) {
    const start = day(admitted, -10 - random.below(340))
    visits.push(encounterOf(`visit${at}`, 'EMER', timed(start, 14), timed(start, 19)))
  }
  for (let at = 0; at < random.below(4); at++) {
    const start = day(admitted, -5 - random.below(500))
    const service = { serviceType: concept(SERVICE, random.pick(['124', '165'])) }
    visits.push({ ...encounterOf(`clinic${at}`, 'AMB', timed(start, 9), timed(start, 10)), ...service })
  }
  // The visit that led to the stay.
  if (random.chance(0.5)) visits.push(encounterOf('led', 'EMER', timed(admitted, 5), timed(admitted, 9)))
  return visits
}

function valuesOf(random: Random, admitted: Date, discharged: Date): readonly Resource[] {
  const first = timed(day(admitted, 1), 7)
  const last = timed(discharged, 8)
  const value = (id: string, code: string, number: number, unit: string, time: string): Resource => ({
    ...observationOf(id, concept(LOINC, code), time),
    valueQuantity: { value: number, system: 'http://unitsofmeasure.org', code: unit },
  })
  const items = Object.entries(BARTHEL).map(([code, points]) => ({
    code: concept(LOINC, code),
    valueInteger: random.pick(points),
  }))
  const sum = items.reduce((all, { valueInteger }) => all + valueInteger, 0)
  const others = OTHER_ITEMS.map((code) => ({ code: concept(LOINC, code), valueInteger: 0 }))
  const own = (code: string): Resource => concept('urn:patient-risk:fields', code)
  return [
    value('hb1', '718-7', 8 + random.below(60) / 10, 'g/dL', first),
    value('hb2', '718-7', 8 + random.below(60) / 10, 'g/dL', last),
    value('na1', '2951-2', 128 + random.below(16), 'mmol/L', first),
    value('na2', '2951-2', 128 + random.below(16), 'mmol/L', last),
    value('crea', '2160-0', 0.6 + random.below(40) / 10, 'mg/dL', first),
    value('alb', '1751-7', 2 + random.below(25) / 10, 'g/dL', first),
    {
      ...observationOf('barthel', concept(LOINC, '96761-2'), first),
      valueInteger: sum,
      component: [...items, ...others],
    },
    {
      ...observationOf('caregiver', own('caregiver'), first),
      valueString: random.pick(['spouse', 'other', 'none']),
    },
    { ...observationOf('nyha', own('nyhaOrMrc3to4'), first), valueBoolean: random.chance(0.5) },
  ]
}

/** A full round of readings for NEWS2. The late one counts. */
function vitalSigns(random: Random, round: string, time: string): readonly Resource[] {
  const reading = (code: string, value: number, unit: string): Resource => ({
    ...observationOf(`${round}-${code}`, concept(LOINC, code), time),
    valueQuantity: { value, system: 'http://unitsofmeasure.org', code: unit },
  })
  const sct = 'http://snomed.info/sct'
  return [
    reading('9279-1', 10 + random.below(18), '/min'),
    reading('59408-5', 88 + random.below(13), '%'),
    reading('8480-6', 15 * (6 + random.below(9)), 'mm[Hg]'),
    reading('8867-4', 45 + random.below(90), '/min'),
    reading('8310-5', 35 + random.below(5), 'Cel'),
    reading('3151-8', random.below(3), 'L/min'),
    {
      ...observationOf(`${round}-acvpu`, concept(sct, '1104441000000107'), time),
      valueCodeableConcept: concept(sct, random.pick(['248234008', '300202002'])),
    },
    {
      ...observationOf(`${round}-scale`, concept('urn:patient-risk:fields', 'news2_saturationScale'), time),
      valueInteger: 1,
    },
  ]
}

function observationOf(id: string, code: Resource, effectiveDateTime: string): Resource {
  return {
    resourceType: 'Observation',
    id,
    status: 'final',
    code,
    subject: SUBJECT,
    encounter: INDEX,
    effectiveDateTime,
  }
}

function conditionsOf(random: Random, admitted: Date): readonly Resource[] {
  const codes = DIAGNOSES.filter(() => random.chance(0.35))
  return codes.map((code, at) => {
    const recorded = day(admitted, -200 - random.below(1500))
    const isOver = random.chance(0.3) && !code.startsWith('F')
    return {
      resourceType: 'Condition',
      id: `condition${at}`,
      clinicalStatus: concept(CLINICAL, isOver ? 'resolved' : 'active'),
      verificationStatus: concept(VERIFICATION, random.chance(0.85) ? 'confirmed' : 'refuted'),
      code: concept('http://hl7.org/fhir/sid/icd-10', code),
      subject: SUBJECT,
      onsetDateTime: recorded.toISOString().slice(0, 10),
      recordedDate: timed(recorded, 12),
      ...(isOver && { abatementDateTime: day(recorded, 150).toISOString().slice(0, 10) }),
    }
  })
}

/** What came after the moment: a readmission of the same evening with its values and diagnosis. It must not count. */
function laterFacts(discharged: Date): readonly Resource[] {
  const again = encounterOf('again', 'IMP', timed(discharged, 20), timed(day(discharged, 5), 9))
  return [
    again,
    {
      ...observationOf('hb9', concept(LOINC, '718-7'), timed(discharged, 21)),
      encounter: { reference: 'Encounter/again' },
      valueQuantity: { value: 7.1, system: 'http://unitsofmeasure.org', code: 'g/dL' },
    },
    {
      resourceType: 'Condition',
      id: 'later',
      clinicalStatus: concept(CLINICAL, 'active'),
      verificationStatus: concept(VERIFICATION, 'confirmed'),
      code: concept('http://hl7.org/fhir/sid/icd-10', 'C79.5'),
      subject: SUBJECT,
      onsetDateTime: timed(discharged, 22),
      recordedDate: timed(discharged, 22),
    },
  ]
}
