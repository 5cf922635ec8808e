/** Days around the earliest one that a scale may have, and what a reader answers to records with them. */
/** A day as records write it, as databases do, and whether it is out of range. */
export const DAYS = [
  ['31-12-1899', '1899-12-31', true],
  ['01-01-1900', '1900-01-01', false],
  ['02-01-1900', '1900-01-02', false],
  ['01-01-0001', '0001-01-01', true],
  ['14-03-2026', '2026-03-14', false],
] as const
export const PATIENT = { age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
export const RECORDS = DAYS.map(([day], idx) => ({ idx, ...PATIENT, barthel_date: day }))

export const problemOf = (idx: number): object => ({
  Field: 'barthel_date',
  FieldDate: '',
  ExtendError: `ValueError for value Date in idx ${idx} (out of range)`,
})
const RISK = 0.2294
/** The model does not read the date, so the risk is given all the same. */
export const EXPECTED = DAYS.map(([, , isEarly], idx) => ({
  idx,
  risk: RISK,
  error_message: isEarly ? [problemOf(idx)] : null,
}))
