/** `score` and `learn` read NDJSON with one reader: the same lines are accepted, with the same values, for the same reasons. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { type CatalogModel, findModel, makeDeployments } from '@patient-risk/catalog'
import { STATE, roundRisk } from 'patient-risk-engine'
import { gather, modelRunFor } from '../../../src/learn/data/gather.ts'
import { runHere } from '../../../../../test/support/run-command.ts'
import { PROFUND_PATIENT } from '../../../../../test/support/records.ts'
import { CATALOG, fileWith, newFolder } from '../../../../../test/support/learning.ts'

const TODAY = 20260601
const { definition } = findModel(CATALOG, 'profund') as CatalogModel
const patient = { ...PROFUND_PATIENT, haemoglobin: 12.5, barthel_total: 60 }
const text = (changes: object = {}): string => JSON.stringify({ ...patient, ...changes })
const ITEMS = {
  feeding: 10,
  bathing: 0,
  grooming: 5,
  dressing: 5,
  bowels: 10,
  bladder: 10,
  toiletUse: 5,
  chairTransfers: 10,
  mobility: 10,
  stairs: 5,
}
/** A line with something else in place of a member of the patient. */
const with_ = (member: string, written: string): string => {
  assert.ok(text().includes(member))
  return text().replace(member, written)
}
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
const keys = (count: number): string =>
  Array.from({ length: count }, (_each, key) => `"k${key}":${key}`).join()
const BARTHEL = Object.entries(ITEMS)
  .map(([item, points]) => `"barthel_${item}":${points}`)
  .join()
const OWN_KEYS = Object.keys(patient).length + 2

/** What a line holds, and the line without its idx and outcome. */
const LINES: readonly (readonly [string, string | Uint8Array])[] = [
  ['a plain record', text()],
  ['a carriage return at the end', `${text({ age: 81 })}\r`],
  ['spaces around', ` \t${text({ age: 82 })} \t`],
  ['a blank line', ' \t\r'],
  ['an empty line', ''],
  ['an escaped key', with_('"age":80', '"\\u0061ge":83')],
  ['an escaped value', with_('"spouse"', '"s\\u0070ouse"')],
  ['half of a surrogate pair', with_('"spouse"', '"\\ud800"')],
  ['a key given twice', with_('"age":80', '"age":80,"age":81')],
  ['a key given twice, once escaped', with_('"age":80', '"age":80,"\\u0061ge":80')],
  ['a key given twice that is no field', with_('"age":80', '"age":80,"ward":1,"ward":1')],
  ['a key given twice in a nested object', with_('"age":80', '"age":80,"ward":{"a":1,"a":1}')],
  ['the outcome given twice', with_('"age":80', '"age":80,"died":1')],
  ['the idx given twice', with_('"age":80', '"age":80,"idx":1000')],
  ['the longest decimals', with_('12.5', '12.500000000000000001')],
  ['an exponent', with_('"age":80', '"age":8.4e1')],
  ['a whole number with decimals', with_('"age":80', '"age":85.0')],
  ['a negative zero', with_('"inpatientAdmissions":0', '"inpatientAdmissions":-0')],
  ['a number beyond any float', with_('"age":80', '"age":1e400')],
  ['a whole number beyond 2^53', with_('"age":80', '"age":12345678901234567890')],
  ['a fraction in a whole number', with_('"age":80', '"age":80.5')],
  ['a number of another step', with_('"barthel_total":60', '"barthel_total":61')],
  ['a text in a number', with_('"age":80', '"age":"80"')],
  ['a number in a text', with_('"spouse"', '1')],
  ['an unknown code', with_('"spouse"', '"Spouse"')],
  ['a code with a space', with_('"spouse"', '"spouse "')],
  ['1 for true', with_('"dementia":false', '"dementia":1')],
  ['"true" for true', with_('"dementia":false', '"dementia":"true"')],
  ['an object for a number', with_('"age":80', '"age":{"value":80}')],
  ['a list for a number', with_('"age":80', '"age":[80]')],
  ['null for a number', with_('"age":80', '"age":null')],
  ['NaN', with_('"age":80', '"age":NaN')],
  ['Infinity', with_('"age":80', '"age":Infinity')],
  ['a leading zero', with_('"age":80', '"age":080')],
  ['a trailing comma', `${text().slice(0, -1)},}`],
  ['a comment', `${text()} // end`],
  ['two records on a line', `${text()}${text()}`],
  ['a record in a list', `[${text()}]`],
  ['a text', '"patient"'],
  ['a number', '80'],
  ['null', 'null'],
  ['no JSON', 'age,sex'],
  ['a record cut off', text().slice(0, 40)],
  ['a key of another case', with_('"age":80', '"AGE":80')],
  ['a scale by its items', with_('"barthel_total":60', BARTHEL)],
  ['a scale by some of its items', with_('"barthel_total":60', '"barthel_feeding":10')],
  [
    'a total that differs from its items',
    with_('"barthel_total":60', '"barthel_total":95,"barthel_feeding":0,"barthel_bathing":0'),
  ],
  ['a key of the object itself', with_('"age":80', '"age":86,"__proto__":{"age":1},"constructor":1')],
  ['nesting at the limit', with_('"age":80', `"age":87,"ward":${deep(6)}`)],
  ['nesting beyond the limit', with_('"age":80', `"age":87,"ward":${deep(7)}`)],
  ['keys at the limit', with_('"age":80', `"age":88,${keys(1024 - OWN_KEYS)}`)],
  ['keys beyond the limit', with_('"age":80', `"age":88,${keys(1025 - OWN_KEYS)}`)],
  ['a line at the limit', with_('"age":80', `"age":89,"ward":"${'x'.repeat(1_048_000)}"`)],
  ['a line beyond the limit', with_('"age":80', `"age":89,"ward":"${'x'.repeat(1_049_000)}"`)],
  [
    'bytes that are not UTF-8',
    Buffer.concat([Buffer.from(text().slice(0, -1)), Buffer.from(',"ward":"\xff"}', 'latin1')]),
  ],
  ['a byte order mark within the file', `\uFEFF${text()}`],
  ['letters of several bytes', text({ ward: 'Süd 😀' })],
  ['the last line, without a line feed', text({ age: 90 })],
]

/** Every object gets an idx, which `score` needs, and an outcome, which `learn` needs. */
const FILE = Buffer.concat(
  LINES.flatMap(([, line], index) => {
    const own = `{"idx":${index + 1},"died":${index % 2},`
    const bytes = Buffer.from(line)
    const at = bytes.indexOf('{')
    const whole = at < 0 ? [bytes] : [bytes.subarray(0, at), Buffer.from(own), bytes.subarray(at + 1)]
    return [...(index === 0 ? [Buffer.from('\uFEFF')] : [Buffer.from('\n')]), ...whole]
  }),
)

/** Its line, and its risk and the values of the inputs, or why it gets no risk. */
type Accepted = readonly [line: number, risk: number, values: Readonly<Record<string, unknown>>]

const isBlank = (line: string | Uint8Array): boolean => typeof line === 'string' && /^[ \t\r]*$/.test(line)
const lineNumbers = [...LINES.keys()].filter((index) => !isBlank((LINES[index] as (typeof LINES)[number])[1]))

interface Result {
  readonly risk: number | null
  readonly error_message: readonly { readonly Field: string; readonly ExtendError: string }[] | null
  readonly explanation: { readonly terms: readonly { readonly values: readonly Value[] }[] } | null
}
interface Value {
  readonly field: string
  readonly value: unknown
}

/** Of each line that is not blank, what `score` answers. */
async function scored(): Promise<readonly Result[]> {
  const output = join(newFolder(), 'out.ndjson')
  const args = ['score', fileWith('a.ndjson', FILE), '--model', 'profund', '--output', output]
  assert.equal((await runHere(args)).code, 0)
  return readFileSync(output, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result)
}

/** The same with an explanation, which has the values. */
function explained(): readonly Result[] {
  const settings = { name: 'a', basePath: '/', model: 'profund', output: 'number' as const }
  const [deployment] = makeDeployments(CATALOG, [settings]).deployments
  const place = { first: 0, duplicates: new Set<number>() }
  const { bytes } = deployment?.scorer.lines.explain(FILE.subarray(3), TODAY, place) ?? {}
  return Buffer.from(bytes ?? [])
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result)
}

async function learned(path: string) {
  const setting = { catalog: CATALOG, today: TODAY }
  const run = modelRunFor(setting, definition)
  const { slots, result } = run.assessor
  const accepted: Accepted[] = []
  const data = { outcome: { column: 'died', yes: ['1'], no: ['0'] }, missing: [] }
  const { intake } = await gather({ ...setting, path, data }, run, (row) => {
    assert.equal(row.outcome, (row.line - 1) % 2)
    const values = Object.keys(definition.inputs).map((field) => {
      const slot = run.plan.slotByName.get(field) ?? -1
      // −0 prints as 0.
      const number = slots.stateOf(slot) === STATE.absent ? undefined : slots.valueOf(slot) + 0
      const domain = run.plan.fields[slot]?.domain
      const code =
        domain?.kind === 'code' ? [...domain.codes].find(([, each]) => each === number)?.[0] : undefined
      return [field, domain?.kind === 'yesNo' ? number === 1 : (code ?? number)] as const
    })
    const risk = roundRisk(run.compiled.probability(result.score))
    accepted.push([row.line, risk, Object.fromEntries(values)])
  })
  return { accepted, intake }
}

const results = await scored()

test('score answers every line that is not blank, and explain agrees with it', () => {
  assert.equal(results.length, lineNumbers.length)
  assert.deepEqual(
    explained().map(({ risk }) => risk),
    results.map(({ risk }) => risk),
  )
  // The file has enough of both.
  const refused = results.filter(({ risk }) => risk === null).length
  assert.ok(refused >= 30 && results.length - refused >= 15, String(refused))
})

for (const [name, bytes] of [
  ['a.ndjson', FILE],
  ['a.jsonl.gz', gzipSync(FILE)],
  ['a.ndjson.zst', zstdCompressSync(FILE)],
] as const) {
  test(`learn accepts the lines that score accepts, with the same values, in ${name}`, async () => {
    const { accepted, intake } = await learned(fileWith(name, bytes))
    const expected = explained().flatMap(({ risk, explanation }, place): Accepted[] => {
      const values = (explanation?.terms ?? []).flatMap((term) => term.values)
      const byField = Object.fromEntries(values.map(({ field, value }) => [field, value]))
      return risk === null ? [] : [[(lineNumbers[place] as number) + 1, risk, byField]]
    })
    assert.deepEqual(accepted, expected)
    assert.equal(intake.rows, results.length)
  })
}

test('learn leaves the other lines out for the reason that score gives', async () => {
  const { intake } = await learned(fileWith('a.ndjson', FILE))
  const reasons = results.flatMap(({ risk, error_message: problems }) => {
    const { Field: field = '', ExtendError: message = '' } = problems?.[0] ?? {}
    if (risk !== null) return []
    const [, reason = 'missing'] = /\((.*)\)$/.exec(message) ?? []
    const isRead = [...Object.keys(definition.inputs), 'died', 'record'].includes(field)
    return [reason === 'given twice' && !isRead ? 'a key given twice' : `${field} ${reason}`]
  })
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  assert.deepEqual(Object.fromEntries([...intake.leftOut].sort()), Object.fromEntries([...counts].sort()))
})
