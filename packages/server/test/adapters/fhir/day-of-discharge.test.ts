/** Results of the first and the last day of a stay belong to it; those of the days beside it do not. The stay: 2 to 9 March 2026. */
import { type RecordCase, checkRecords } from './record-cases.ts'
import { STAY, observation, ucum } from './source.ts'

const DAYS = [
  ['2026-03-01', null],
  ['2026-03-02', 11],
  ['2026-03-03', 11],
  ['2026-03-08', 11],
  ['2026-03-09', 11],
  ['2026-03-10', null],
] as const

/** The moment is named, so that it is certain what came before it. */
const LATER = { asOf: '2026-03-20' }

checkRecords(
  DAYS.map(([day, haemoglobin]): RecordCase => ({
    name: `a result of ${day}`,
    resources: [STAY, observation('a', '718-7', ucum(11, 'g/dL'), { effectiveDateTime: day })],
    query: LATER,
    record: { haemoglobin },
  })),
)
