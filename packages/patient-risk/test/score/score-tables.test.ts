/** `score` on folders of tables: one output for each input, exit codes, and what is said when nothing was scored. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadOrRefusal } from '../../src/cli/catalog/load-catalog.ts'
import { columnOptionsOf } from '../../src/cli/score/score-options.ts'
import { asLines, cleanRecords } from '../../../../test/support/records.ts'
import { until } from '../../../../test/support/until.ts'
import { COMPILED, MAIN, runHere } from '../../../../test/support/run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'score-tables-'))
after(() => rmSync(folder, { recursive: true }))
const at = (...names: readonly string[]): string => join(folder, ...names)

const HEADER = 'nhc,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
mkdirSync(at('in', '2026'), { recursive: true })
writeFileSync(at('in', 'a.csv'), `${HEADER}\nA1,80,F,1,0,5\nA2,x,F,1,0,5\n`)
writeFileSync(at('in', '2026', 'b.csv'), `${HEADER}\nB1,70,M,0,0,2\n`)

test('--output-dir writes one output for each input, in the same folders, and --fail-on counts all of them', async () => {
  const args = ['score', at('in'), '--output-dir', at('out'), '--id', 'nhc', '--to', 'ndjson', '--quiet']
  const err = '1 of 3 records were not scored.\n'
  assert.deepEqual(await runHere([...args, '--fail-on', 'unscored=30%']), { code: 3, out: '', err })
  assert.match(
    readFileSync(at('out', '2026', 'b.ndjson'), 'utf8'),
    /^\{"idx":"B1","risk":0\.\d+,"error_message":null\}\n$/,
  )
  assert.deepEqual(readdirSync(at('out')).sort(), ['2026', 'a.ndjson'])
})

const FAIL_ON = [
  ['unscored', 3],
  ['unscored=30%', 3],
  ['unscored=34%', 0],
] as const
for (const [limit, code] of FAIL_ON) {
  test(`one of three records is not scored: --fail-on ${limit} ends with ${code}`, async () => {
    writeFileSync(at('three.ndjson'), asLines([...cleanRecords(2), { idx: 9, age: 'x' }]))
    const output = at('all.ndjson')
    const args = ['score', at('three.ndjson'), '--output', output, '--quiet', '--fail-on', limit]
    assert.equal((await runHere(args)).code, code)
    assert.equal(readFileSync(output, 'utf8').split('\n').length, 4)
  })
}

/** What the specification says of missing texts, the option, and whether NA is one. */
const MISSING: readonly (readonly [string, object | undefined, readonly string[], boolean])[] = [
  ['nothing is said', undefined, [], false],
  ['--missing NA', undefined, ['NA'], true],
  ['a specification has the missing texts of learn', {}, [], true],
  ['a specification that lists others', { missing: ['?'] }, [], false],
  ['a specification that lists others, and --missing', { missing: ['?'] }, ['NA'], true],
]
for (const [what, data, missing, isMissing] of MISSING) {
  test(`missing texts: ${what}`, async () => {
    const specified = data === undefined ? {} : { specification: specificationWith(data) }
    const { catalog } = loadOrRefusal()
    const options = await columnOptionsOf({ missing, ...specified }, catalog, true)
    assert.equal(options.missing.includes('NA'), isMissing)
  })
}

for (const [given, delimiter] of [
  ['\\t', '\t'],
  ['tab', '\t'],
  ['\t', '\t'],
  [',', ','],
  [';', ';'],
  ['|', '|'],
] as const) {
  test(`--delimiter ${JSON.stringify(given)} is ${JSON.stringify(delimiter)}`, async () => {
    const { catalog } = loadOrRefusal()
    assert.equal((await columnOptionsOf({ delimiter: given }, catalog, true)).delimiter, delimiter)
  })
}

test('a text that is missing is no wrong number', async () => {
  writeFileSync(at('na.csv'), `${HEADER}\nA1,NA,F,1,0,5\nA2,?,F,1,0,5\nA3,x,F,1,0,5\n`)
  const specified = ['--specification', specificationWith({ missing: ['?'] }), '--missing', 'NA']
  const args = ['score', at('na.csv'), '--output', at('na.ndjson'), '--id', 'nhc', ...specified]
  await runHere([...args, '--quiet'])
  const kinds = [...readFileSync(at('na.ndjson'), 'utf8').matchAll(/"ExtendError":"(\w+) for value/g)]
  assert.deepEqual(
    kinds.map(([, kind]) => kind),
    ['ValueMissing', 'ValueMissing', 'ValueError'],
  )
})

function specificationWith(data: object): string {
  writeFileSync(at('spec.json'), JSON.stringify({ data: { outcome: { column: null }, ...data } }))
  return at('spec.json')
}

mkdirSync(at('broken'))
writeFileSync(at('broken', 'a.csv'), `${HEADER}\n`)
writeFileSync(at('broken', 'b.csv'), 'idx,"age\n')
const BROKEN: readonly (readonly [string, readonly string[]])[] = [
  ['a folder with one output', [at('broken'), '--output', at('broken.csv')]],
  ['a folder with an output for each input', [at('broken'), '--output-dir', at('broken-out')]],
  ['two files', [at('broken', 'a.csv'), at('broken', 'b.csv'), '--output-dir', at('broken-out')]],
  ['one file', [at('broken', 'b.csv'), '--output', at('broken.csv')]],
]
for (const [what, args] of BROKEN) {
  test(`a file that is refused is named once: ${what}`, async () => {
    const { code, err } = await runHere(['score', ...args, '--quiet'])
    assert.deepEqual([code, err], [1, `${at('broken', 'b.csv')}: line 1: the quote is not closed.\n`])
  })
}

test('--output-dir --resume does not keep outputs of another model', async () => {
  const inputs = at('resumed-in')
  const outputs = at('resumed-out')
  mkdirSync(inputs)
  writeFileSync(join(inputs, 'a.ndjson'), asLines(cleanRecords(1)))
  const config = (model: string): Readonly<Record<string, string>> => {
    const deployments = [{ name: 'one', basePath: '/', model, output: 'number' }]
    writeFileSync(at(`${model}.json`), JSON.stringify({ deployments }))
    return { CONFIG: at(`${model}.json`) }
  }
  const args = ['score', inputs, '--output-dir', outputs, '--quiet']
  const interrupt = async (): Promise<string> => {
    writeFileSync(join(inputs, 'b.json'), '[')
    assert.equal((await runHere(args, config('readmission30'))).code, 1)
    writeFileSync(join(inputs, 'b.json'), '[]')
    return readFileSync(join(outputs, 'a.ndjson'), 'utf8')
  }
  const first = await interrupt()
  assert.equal((await runHere([...args, '--resume'], config('readmission30'))).code, 0)
  assert.equal(readFileSync(join(outputs, 'a.ndjson'), 'utf8'), first)
  await interrupt()
  await runHere([...args, '--resume'], config('hospital'))
  assert.notEqual(readFileSync(join(outputs, 'a.ndjson'), 'utf8'), first)
})

const NOTHING: readonly (readonly [string, string, string, RegExp])[] = [
  // With --idx nhc, which is --map idx=nhc.
  [
    'text identifiers',
    'ids.csv',
    `${HEADER}\nA1,80,F,1,0,5\n`,
    /No record was scored\. Every idx is refused.*--id COLUMN/,
  ],
  ['other names', 'names.csv', 'edad,sexo\n80,F\n', /the field age \(ValueMissing\)\. .*--map age=COLUMN/],
  ['another format', 'lines.ndjson', `${HEADER}\nA1,80,F,1,0,5\n`, /No record is an object.*--from/],
]
for (const [what, name, text, hint] of NOTHING) {
  test(`a run that scores nothing ends with 3 and says what to do: ${what}`, async () => {
    writeFileSync(at(name), text)
    const idx = text.startsWith('nhc') && name.endsWith('csv') ? ['--idx', 'nhc'] : []
    const { code, err } = await runHere([
      ...['score', at(name), '--output', at('nothing.ndjson'), '--quiet'],
      ...idx,
    ])
    assert.equal(code, 3)
    assert.match(err, hint)
  })
}

test('Ctrl-C ends with 130 and names --resume', async () => {
  const child = spawn(process.execPath, [MAIN, 'score', '-', '--output', at('late.ndjson')], {
    env: COMPILED,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (part: Buffer) => (said += part.toString()))
  await until(() => readdirSync(folder).includes('late.ndjson.unfinished'), {
    timeoutMs: 60_000,
    what: 'the run to start',
  })
  child.kill('SIGINT')
  const [code] = (await once(child, 'close')) as [number | null]
  assert.equal(code, 130)
  assert.match(said, /Interrupted\. Continue with the same command and --resume\./)
})

test('Ctrl-C leaves no copy of the records in the folder for temporary files', async () => {
  const temporary = at('temporary')
  mkdirSync(temporary)
  const child = spawn(process.execPath, [MAIN, 'score', '-', '--from', 'csv', '--output', at('late.csv')], {
    env: { ...COMPILED, TMPDIR: temporary },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.write(`${HEADER}\n`)
  await until(() => readdirSync(temporary).length > 0, { timeoutMs: 60_000, what: 'the copy' })
  child.kill('SIGINT')
  const [code] = (await once(child, 'close')) as [number | null]
  assert.equal(code, 130)
  assert.deepEqual(readdirSync(temporary), [])
})
