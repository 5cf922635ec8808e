/** Feeds that mean something else: what a sender does to right records, and the fields that are wrong then. */
import type { PatientRecord } from './feed-patients.ts'

export interface WrongFeed {
  readonly name: string
  readonly fields: readonly string[]
  readonly change: (records: readonly PatientRecord[]) => readonly PatientRecord[]
  /** Records within which it must be noticed. */
  readonly within?: number
  /** Fields that are not sent, in right records neither. */
  readonly without?: readonly string[]
}

/** Every record for itself. */
function each(
  name: string,
  fields: readonly string[],
  change: (record: PatientRecord, at: number) => PatientRecord,
): WrongFeed {
  return {
    name,
    fields,
    change: (records) => records.map((record, at) => ({ ...record, ...change(record, at) })),
  }
}

/** The record without a field. */
export function lacking(record: PatientRecord, field: string): PatientRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== field))
}

const number = (record: PatientRecord, field: string): number => Number(record[field])
const scaled = (field: string, by: number, digits: number): WrongFeed =>
  each(`${field} × ${by}`, [field], (record) => ({
    [field]: Number((number(record, field) * by).toFixed(digits)),
  }))
const sometimes = (field: string, value: unknown, every: number): WrongFeed =>
  each(`${field}: ${String(value)} in one of ${every}`, [field], (_record, at) =>
    at % every === 0 ? { [field]: value } : {},
  )
const coded = (name: string, codes: Readonly<Record<string, string>>): WrongFeed =>
  each(name, ['sex'], ({ sex }) => ({ sex: codes[String(sex)] ?? sex }))
const before = (name: string, fields: readonly string[], rows: number): WrongFeed => ({
  name,
  fields,
  within: rows,
  change: (records) =>
    records.map((record, at) => {
      const other = records.at(at - 1)
      return { ...record, ...Object.fromEntries(fields.map((field) => [field, other?.[field]])) }
    }),
})

export const WRONG_FEEDS: readonly WrongFeed[] = [
  coded('H for men, M for women', { M: 'H', F: 'M' }),
  coded('V for men, M for women', { M: 'V', F: 'M' }),
  coded('sexes exchanged', { M: 'F', F: 'M' }),
  coded('sex: F for everybody', { M: 'F' }),
  coded('sex: 1 and 2', { M: '1', F: '2' }),
  before('sex of the row before', ['sex'], 200),
  scaled('haemoglobin', 0.6206, 1),
  scaled('haemoglobin', 10, 0),
  scaled('creatinine', 10, 1),
  scaled('creatinine', 100, 0),
  scaled('albumin', 10, 0),
  scaled('must_height', 0.01, 2),
  scaled('news2_temperatureReading', 1.8, 1),
  scaled('stayDays', 24, 0),
  scaled('stayDays', 0.143, 0),
  each('haemoglobin: HbA1c', ['haemoglobin'], (record) => ({
    haemoglobin: 5.5 + (number(record, 'age') % 9) / 5,
  })),
  each('creatinine: urea', ['creatinine'], (record) => ({
    creatinine: Math.round(40 * number(record, 'creatinine')),
  })),
  each('sodium: chloride', ['sodium'], (record) => ({ sodium: number(record, 'sodium') - 36 })),
  each('blood pressure: the diastolic one', ['news2_systolicBpReading'], (record) => ({
    news2_systolicBpReading: Math.round(number(record, 'news2_systolicBpReading') * 0.55),
  })),
  each('height and weight exchanged', ['must_height', 'must_weight'], ({ must_height, must_weight }) => ({
    must_height: must_weight,
    must_weight: must_height,
  })),
  each('admissions with the present one', ['inpatientAdmissions'], (record) => ({
    inpatientAdmissions: number(record, 'inpatientAdmissions') + 1,
  })),
  each('admissions of five years', ['inpatientAdmissions'], (record, at) => ({
    inpatientAdmissions: number(record, 'inpatientAdmissions') + ((at * 7) % 5),
  })),
  each('admissions: yes or no', ['inpatientAdmissions'], (record) => ({
    inpatientAdmissions: Math.min(1, number(record, 'inpatientAdmissions')),
  })),
  each('emergency visits of six months', ['emergencyAdmissions'], ({ edVisits6Months }) => ({
    emergencyAdmissions: edVisits6Months,
  })),
  each('visits of twelve months as those of six', ['edVisits6Months'], ({ emergencyAdmissions }) => ({
    edVisits6Months: emergencyAdmissions,
  })),
  each('age in tens', ['age'], (record) => ({ age: 10 * Math.round(number(record, 'age') / 10) })),
  each('age capped at 85', ['age'], (record) => ({ age: Math.min(85, number(record, 'age')) })),
  each('haemoglobin in whole numbers', ['haemoglobin'], (record) => ({
    haemoglobin: Math.round(number(record, 'haemoglobin')),
  })),
  each('stay: 0 for everybody', ['stayDays'], () => ({ stayDays: 0 })),
  sometimes('inpatientAdmissions', 9, 7),
  sometimes('emergencyAdmissions', -1, 7),
  sometimes('age', 0, 20),
  sometimes('age', 99, 20),
  sometimes('haemoglobin', 9.9, 5),
  sometimes('mmse_total', 0, 3),
  sometimes('stayDays', 999, 10),
  each('yes for everything', ['dementia', 'oncologyService', 'activeNeoplasia'], () => ({
    dementia: true,
    oncologyService: true,
    activeNeoplasia: true,
  })),
  each('dementia inverted', ['dementia'], ({ dementia }) => ({ dementia: dementia !== true })),
  each('yes as S, no as N', ['dementia'], ({ dementia }) => ({ dementia: dementia === true ? 'S' : 'N' })),
  each('decimal comma', ['haemoglobin'], ({ haemoglobin }) => ({
    haemoglobin: Number.isInteger(haemoglobin) ? haemoglobin : String(haemoglobin).replace('.', ','),
  })),
  each('month before day', ['barthel_date'], (_record, at) => ({
    barthel_date: `10-${10 + (at % 20)}-2026`,
  })),
  each('date: 1900', ['barthel_date'], () => ({ barthel_date: '01-01-1900' })),
  {
    name: 'no stay',
    fields: ['stayDays'],
    change: (records) => records.map((record) => lacking(record, 'stayDays')),
  },
  before('laboratory values of the row before', ['haemoglobin', 'sodium', 'creatinine', 'albumin'], 1_000),
  {
    name: 'one template for ten patients',
    fields: ['barthel_total', 'charlson_total'],
    change: (records) =>
      records.map((record, at) => {
        const { barthel_total, charlson_total } = records[at - (at % 10)] ?? record
        return { ...record, barthel_total, charlson_total }
      }),
    without: ['barthel_', 'charlson_'],
  },
  {
    name: 'every record twice',
    fields: ['idx'],
    change: (records) =>
      records.flatMap((record, at) => [
        { ...record, idx: 2 * at },
        { ...record, idx: 2 * at + 1 },
      ]),
  },
]
