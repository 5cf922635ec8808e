/** `inspect` and the stop of `score`, as a person sees them; keys with codes and warnings at the command line. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runHere } from '../../../../test/support/run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'inspect-'))
after(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)

const HEAD = 'nhc;age;sex;inpatientAdmissions;emergencyAdmissions;stayDay;haemoglobin;barthel_date'
const spanish = Array.from(
  { length: 12 },
  (_, place) => `A${place};8${place % 10};F;1;0;5;12,5;${place + 10}/03/2025`,
)
writeFileSync(at('spanish.csv'), `sep=;\r\n${[HEAD, ...spanish].join('\r\n')}\r\n`)
const OPTIONS = ['--id', 'nhc', '--map', 'stayDays=stayDay', '--deployment', 'mortality']

test('inspect prints the form, each column, and what to add; no value of the file', async () => {
  const { code, out, err } = await runHere([
    'inspect',
    at('spanish.csv'),
    '--id',
    'nhc',
    '--deployment',
    'mortality',
  ])
  assert.equal(code, 0, err)
  assert.match(out, /spanish\.csv: CSV in UTF-8, cells separated by semicolons, .* 12 rows\.\n/)
  assert.match(out, /\nhaemoglobin +haemoglobin +12 +12 +add --decimal-comma: takes 12 of them\n/)
  assert.match(out, /\nbarthel_date +barthel_date +12 +12 +add --dates DD\/MM\/YYYY: takes 12 of them\n/)
  assert.match(out, /\nstayDay +- +- +- +not a field: ignored; or --map stayDays=stayDay\n/)
  assert.match(out, /\nage +age +12 +0\n/)
  assert.doesNotMatch(out, /A1\b|12,5|\/03\/2025/)
  const json = await runHere(['inspect', at('spanish.csv'), '--id', 'nhc', '--json', '--decimal-comma'])
  const { columns, rows } = JSON.parse(json.out) as {
    rows: number
    columns: { name: string; finding?: { refused: number } }[]
  }
  assert.equal(rows, 12)
  assert.equal(columns.find(({ name }) => name === 'haemoglobin')?.finding?.refused, 0)
})

test('inspect counts codes too, and says what is in doubt', async () => {
  const rows = ['F', 'M', 'H', '', 'M'].map(
    (sex, place) => `${place},${70 + 3 * place},${sex},1,0,5,${place % 2 === 0 ? 'Sí' : 'ja'}`,
  )
  writeFileSync(
    at('codes.csv'),
    `idx,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays,dementia\n${rows.join('\n')}\n`,
  )
  const { out } = await runHere(['inspect', at('codes.csv')])
  assert.match(out, /\nsex +sex +4 +1 +add --codes FILE, which says what its codes mean\n/)
  assert.match(out, /\ndementia +dementia +5 +2 +add --codes FILE/)
  assert.match(out, /\nDoubts about the data:\n {2}sex: this sender also writes codes of another convention/)
  const codes = { sex: { H: 'M', M: 'F' }, dementia: { Sí: true, ja: true } }
  writeFileSync(at('codes.json'), JSON.stringify(codes))
  const coded = (await runHere(['inspect', at('codes.csv'), '--codes', at('codes.json')])).out
  assert.match(coded, /\nsex +sex +4 +1 +add --codes/, 'F means nothing of its own any more')
  assert.match(coded, /\ndementia +dementia +5 +0\n/)
  assert.doesNotMatch(coded, /Doubts/)
})

test('score stops with 1 before it writes, and says what to add; with that it is done', async () => {
  const score = ['score', at('spanish.csv'), '--output', at('out.csv'), ...OPTIONS]
  const stopped = await runHere(score)
  assert.equal(stopped.code, 1)
  assert.match(
    stopped.err,
    /spanish\.csv: column haemoglobin: 12 of 12 .*Nothing was written\. Add --decimal-comma --dates DD\/MM\/YYYY and start again\.\n$/s,
  )
  assert.equal(existsSync(at('out.csv')), false)
  const done = await runHere([...score, '--decimal-comma', '--dates', 'DD/MM/YYYY'])
  assert.match(
    done.err,
    /spanish\.csv: CSV in UTF-8, cells separated by semicolons, numbers with a decimal comma/,
  )
  assert.match(done.err, /12 records/)
  assert.ok(existsSync(at('out.csv')))
})

/** What cannot be inspected, the exit code, and what is said. */
const REFUSED = [
  [['inspect'], 2, /Name one file/],
  [['inspect', 'a.json'], 1, /there is no such file/],
  [['inspect', 'no.csv'], 1, /there is no such file/],
] as const
for (const [args, code, message] of REFUSED) {
  test(`${args.join(' ')} ends with ${code}`, async () => {
    const ran = await runHere([...args])
    assert.equal(ran.code, code)
    assert.match(ran.err, message)
  })
}

test('JSON is not inspected', async () => {
  writeFileSync(at('records.json'), '[]')
  const { code, err } = await runHere(['inspect', at('records.json')])
  assert.equal(code, 1)
  assert.match(err, /only CSV, TSV, XLSX and Parquet are inspected/)
})

const CODES: readonly (readonly [string, number, RegExp])[] = [
  ['{"sex":{"H":"M","M":"F","X":"X"}}', 0, /^$/],
  ['\ufeff{"sex":{"H":"M","V":"M"}}', 0, /the codes "H" and "V" both stand for "M"\./],
  [
    '{"sexo":{"H":"M"}}',
    2,
    /--codes: The codes are refused at "\/sexo": it is not a field; did you mean "sex"\?/,
  ],
  ['{"sex":["H"]}', 2, /must hold the codes of fields/],
  ['{"sex":{"H":1}}', 2, /must hold the codes of fields/],
  ['{', 2, /--codes takes a JSON file/],
]
for (const [text, code, message] of CODES) {
  test(`keys create --codes with ${JSON.stringify(text)} ends with ${code}`, async () => {
    writeFileSync(at('codes.json'), text)
    const env = { DATA_DIR: at('data') }
    const ran = await runHere(
      ['keys', 'create', '--name', 'ward', '--codes', at('codes.json'), '--json'],
      env,
    )
    assert.equal(ran.code, code, ran.err)
    assert.match(ran.err, message)
    if (code !== 0) return
    const { id } = JSON.parse(ran.out) as { id: string }
    const listed = await runHere(['keys', 'list'], env)
    assert.match(listed.out, new RegExp(`${id} +ward +all deployments +sex `))
  })
}

test('check says what is doubtful about codes, and refuses what is wrong with them', async () => {
  const entry = { name: 'ward', basePath: '/', model: 'walter', output: 'number' }
  const check = (codes: object): ReturnType<typeof runHere> => {
    writeFileSync(at('config.json'), JSON.stringify({ deployments: [{ ...entry, codes }] }))
    return runHere(['check', at('config.json')], { DATA_DIR: at('data') })
  }
  const doubtful = await check({ sex: { H: 'M', M: 'F' } })
  assert.equal(doubtful.code, 0, doubtful.err)
  assert.match(
    doubtful.out,
    /Deployment ward: sex: no code stands for "X", so it is taken as it is written\./,
  )
  const wrong = await check({ sex: { H: 'male' } })
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /codes\/sex\/H/)
})
