/**
 * `npm run bench:json`: what `parseJson` costs beside `JSON.parse`, by kind of text. For a text without an escaped name that is the
 * search for one, so it is timed alone. The three take turns, so that all meet the same machine, and the least of all rounds counts.
 */
import { hasEscapedKey, parseJson } from 'patient-risk-engine/read'

const ROUNDS = 41
const BYTES_PER_ROUND = 1_000_000
const FEWEST_REPEATS = 10

const record = (idx: number): object => ({
  idx,
  age: 80,
  sex: 'F',
  barthel_total: 60,
  inpatientAdmissions: 2,
  emergencyAdmissions: 1,
  stayDays: 7,
  ward: 'a ward',
})
const records = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_each, idx) => record(idx)))
const NARRATIVE = `<div xmlns=\\"http://www.w3.org/1999/xhtml\\">${'Discharged home. '.repeat(30)}\\n</div>`

const TEXTS: Readonly<Record<string, string>> = {
  '1 record': records(1),
  '10 records': records(10),
  '1,000 records': records(1_000),
  '10,000 records': records(10_000),
  '1,000 records with a letter beyond Latin-1': records(1_000).replaceAll('a ward', 'α'),
  '1,000 records with a backslash in a value': records(1_000).replaceAll('a ward', 'a\\\\b'),
  '1,000 records with a FHIR narrative': records(1_000).replaceAll('a ward', NARRATIVE),
  'a string of escaped quotes': JSON.stringify('"'.repeat(500_000)),
  '1,000 records, one with an escaped name': records(1_000).replace('"age"', '"\\u0061ge"'),
  '1,000 records with an escaped name': records(1_000).replaceAll('"age"', '"\\u0061ge"'),
}

for (const [name, text] of Object.entries(TEXTS)) {
  const repeats = Math.max(FEWEST_REPEATS, Math.ceil(BYTES_PER_ROUND / text.length))
  let plain = Infinity
  let search = Infinity
  let own = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    plain = Math.min(plain, nanoseconds(JSON.parse, text, repeats))
    search = Math.min(search, nanoseconds(hasEscapedKey, text, repeats))
    own = Math.min(own, nanoseconds(parseJson, text, repeats))
  }
  const share = `the search ${search.toFixed(0)} ns (${((search / plain) * 100).toFixed(1)} %)`
  const all = `parseJson ${own.toFixed(0)} ns (${(own / plain).toFixed(2)} times)`
  process.stdout.write(`${name}: JSON.parse ${plain.toFixed(0)} ns, ${share}, ${all}\n`)
}

/** The time for one text. The processor time of a thread is too coarse here. */
function nanoseconds(parse: (text: string) => unknown, text: string, repeats: number): number {
  const start = process.hrtime.bigint()
  for (let repeat = 0; repeat < repeats; repeat++) parse(text)
  return Number(process.hrtime.bigint() - start) / repeats
}
