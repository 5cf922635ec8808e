/** Invented records for tests of interfaces and sizes: clean ones, faulty ones, and values that are not records. */

/** A record without any problem; every number of records is different. */
export function cleanRecord(idx: number): Readonly<Record<string, unknown>> {
  return {
    idx,
    age: 65 + (idx % 30),
    sex: idx % 2 === 0 ? 'F' : 'M',
    inpatientAdmissions: idx % 5,
    emergencyAdmissions: idx % 7,
    stayDays: 1 + (idx % 40),
  }
}

export function cleanRecords(count: number): readonly Readonly<Record<string, unknown>>[] {
  return Array.from({ length: count }, (_, idx) => cleanRecord(idx))
}

export function asLines(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** What PROFUND needs, but for the Barthel index and haemoglobin. */
export const PROFUND_PATIENT = {
  age: 80,
  caregiver: 'spouse',
  activeNeoplasia: false,
  dementia: false,
  nyhaOrMrc3to4: false,
  deliriumLastAdmission: false,
  inpatientAdmissions: 0,
}

/** A complete record for readmission30. */
export const readmissionRecord = (idx: number, age: number): object => ({
  idx,
  age,
  sex: 'F',
  inpatientAdmissions: 0,
  emergencyAdmissions: 0,
  stayDays: 3,
})
