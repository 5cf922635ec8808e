/** Lines whose idx repeats anywhere in the file are refused as in one body, in many chunks and with every option. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Random } from '../../../../test/support/random.ts'
import { cleanRecord } from '../../../../test/support/records.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { deploymentOf, scoreFile } from './score-file.ts'

const TODAY = 20260601
const RECORDS = 1_000
const folder = mkdtempSync(join(tmpdir(), 'repeated-'))
after(() => rmSync(folder, { recursive: true }))
const catalog = testCatalog()
const deployment = deploymentOf(catalog)

const random = new Random(28)
/** One record in fifty has the idx of another, some of them write it twice, and some have other problems too. */
const texts = Array.from({ length: RECORDS }, (_each, place) => {
  const idx = random.chance(0.02) ? random.below(RECORDS) - 20 : place
  const record = {
    ...cleanRecord(place),
    idx,
    ...(random.chance(0.1) ? { age: 300 } : {}),
    ward: `Ñ ${place}`,
  }
  const text = JSON.stringify(record)
  return random.chance(0.005) ? text.replace('}', `,"idx":${random.below(RECORDS)}}`) : text
})
const body = Buffer.from(`[${texts.join(',')}]`)

interface Row {
  readonly ward?: string
}

const CASES = [
  ['lines', 'ndjson', `${texts.join('\n \n')}\n`, []],
  ['lines without a last line end, with a kept key', 'ndjson', texts.join('\n'), ['ward']],
  ['an array', 'json', `[${texts.join(',\n')}]`, []],
] as const
for (const [what, from, content, keep] of CASES) {
  test(`${what}: the same results and counts as one body`, async () => {
    const input = join(folder, 'in')
    const output = join(folder, 'out.ndjson')
    writeFileSync(input, content)
    const options = {
      input,
      from,
      output,
      to: 'ndjson',
      keep,
      catalog,
      today: TODAY,
      chunkBytes: 5_000,
    } as const
    const summary = await scoreFile(options)
    const expected = deployment.scorer.score(body, TODAY)
    const rows = readFileSync(output, 'utf8').trimEnd().split('\n')
    const kept = rows.map((row) => (JSON.parse(row) as Row).ward)
    const plain = rows.map((row) => row.replace(/,"ward":"[^"]*"\}$/, '}'))
    assert.equal(`[${plain.join(',')}]`, Buffer.from(expected.bytes).toString())
    if (keep.length > 0)
      assert.deepEqual(
        kept,
        texts.map((text) => (JSON.parse(text) as Row).ward),
      )
    const { records, scored, problems } = summary.tally
    assert.deepEqual({ records, scored, problems }, { ...counts(expected.tally) })
    assert.equal(
      summary.histogram.reduce((sum, each) => sum + each, 0),
      scored,
    )
    assert.deepEqual(readdirSync(folder).sort(), ['in', 'out.ndjson'])
  })
}

function counts({ records, scored, problems }: ReturnType<typeof deployment.scorer.score>['tally']) {
  return { records, scored, problems }
}

test('numbered lines: a record that has an idx of its own refuses the record of that number', async () => {
  const input = join(folder, 'in')
  const output = join(folder, 'out.ndjson')
  const unnumbered = Array.from({ length: 500 }, (_each, place) => ({
    ...cleanRecord(place),
    idx: undefined,
  }))
  writeFileSync(
    input,
    unnumbered.map((record, at) => JSON.stringify(at === 7 ? { ...record, idx: 400 } : record)).join('\n'),
  )
  const columnOptions = { isNumbered: true }
  await scoreFile({
    input,
    from: 'ndjson',
    output,
    to: 'ndjson',
    catalog,
    today: TODAY,
    chunkBytes: 2_000,
    columnOptions,
  })
  const rows = readFileSync(output, 'utf8').trimEnd().split('\n')
  const refused = rows.flatMap((row, at) => (row.includes('"error_message":null') ? [] : [at + 1]))
  assert.deepEqual(refused, [8, 400])
  assert.match(rows[399] ?? '', /idx 400 \(duplicate\)/)
})
