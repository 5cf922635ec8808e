/** Files that are written otherwise: when a run stops, what it says, and that nothing is written then. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Deployment } from '@patient-risk/catalog'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { type InspectedTable, inspectTable } from '../../../src/bulk/tables/inspect-table.ts'
import { WrittenOtherwise, findingText } from '../../../src/bulk/tables/other-readings.ts'
import { scoreTables } from '../../../src/bulk/tables/score-tables.ts'
import type { ColumnOptions } from '../../../src/bulk/tables/table-source.ts'
import type { RunReport } from '../../../src/bulk/summary.ts'
import { PLAIN_COLUMNS, deploymentOf } from '../score-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'written-otherwise-'))
after(() => rmSync(folder, { recursive: true }))
const output = join(folder, 'out.ndjson')
const catalog = testCatalog()
const today = 20_260_601
/** Profund reads haemoglobin and the total of Barthel. */
const deployment = deploymentOf(catalog, { name: 'mortality', model: 'profund', output: 'number' })

async function score(
  content: string | Uint8Array,
  columnOptions: Partial<ColumnOptions> = {},
): Promise<RunReport> {
  const path = join(folder, 'in.csv')
  writeFileSync(path, content)
  rmSync(output, { force: true })
  return scoreTables({
    catalog,
    deployment,
    today,
    inputs: [{ path, format: 'csv' }],
    output,
    to: 'ndjson',
    compression: undefined,
    errors: undefined,
    errorsTo: undefined,
    columnOptions: { ...PLAIN_COLUMNS, ...columnOptions },
    parts: [],
    threads: 1,
    isResumed: false,
    onProgress: () => undefined,
  })
}

const NAMES = [
  ...['idx', 'age', 'activeNeoplasia', 'dementia', 'nyhaOrMrc3to4', 'deliriumLastAdmission', 'caregiver'],
  ...['inpatientAdmissions', 'haemoglobin', 'barthel_total', 'barthel_date', 'albumin', 'moca_date'],
]
interface Cells {
  readonly haemoglobin?: string
  readonly barthelDate?: string
  readonly albumin?: string
  readonly mocaDate?: string
}
/** A Spanish file: semicolons between cells, so that numbers may have a comma. */
function csv(rows: readonly Cells[], delimiter = ';'): string {
  const lines = rows.map(({ haemoglobin = '12', barthelDate = '', albumin = '', mocaDate = '' }, at) => {
    const fixed = [at, 84, 'false', 'false', 'true', 'false', 'spouse', 1]
    return [...fixed, haemoglobin, 65, barthelDate, albumin, mocaDate].join(delimiter)
  })
  return [NAMES.join(delimiter), ...lines, ''].join('\n')
}
const times = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at))

/** What `inspect` says of each column that is written otherwise. */
async function found(
  content: string | Uint8Array,
  columnOptions: Partial<ColumnOptions> = {},
  received: Deployment = deployment,
): Promise<InspectedTable & { readonly texts: readonly string[] }> {
  const path = join(folder, 'inspected.csv')
  writeFileSync(path, content)
  const options = { ...PLAIN_COLUMNS, ...columnOptions }
  const setting = { catalog, deployment: received, columnOptions: options, today }
  const inspected = await inspectTable(setting, { path, format: 'csv' })
  const findings = inspected.columns.flatMap(({ finding }) => finding ?? [])
  const texts = findings
    .filter(({ proposed }) => proposed.length > 0)
    .map((each) => `${findingText(each)}${each.isUsed ? '' : ', unused'}`)
  return { ...inspected, texts }
}

/** What the cells are, the file, and what is found. */
const CASES: readonly (readonly [string, readonly Cells[], RegExp | undefined])[] = [
  ['nine numbers with a comma', times(9, () => ({ haemoglobin: '12,5' })), undefined],
  [
    'ten with a comma among twenty that are refused',
    [...times(10, () => ({ haemoglobin: '12,5' })), ...times(10, () => ({ haemoglobin: 'low' }))],
    /10 of 20 refused values/,
  ],
  [
    'ten with a comma among twenty-one that are refused',
    [...times(10, () => ({ haemoglobin: '12,5' })), ...times(11, () => ({ haemoglobin: 'low' }))],
    undefined,
  ],
  [
    'ten with a comma that are out of range in any form',
    times(10, () => ({ haemoglobin: '99,5' })),
    undefined,
  ],
  [
    'ten numbers with three decimals',
    times(10, () => ({ haemoglobin: '12.500' })),
    /would be taken with --decimal-point$/,
  ],
  [
    'dates of a scale that the model uses, day first',
    times(12, (at) => ({ barthelDate: `${at + 10}/03/2025` })),
    /^column barthel_date: 12 of 12 refused values would be taken with --dates DD\/MM\/YYYY$/,
  ],
  [
    'month first',
    times(12, (at) => ({ barthelDate: `03/${at + 10}/2025` })),
    /would be taken with --dates MM\/DD\/YYYY$/,
  ],
  [
    'dates that leave open which part is the day',
    times(10, () => ({ barthelDate: '03/04/2025' })),
    /with --dates DD\/MM\/YYYY or --dates MM\/DD\/YYYY$/,
  ],
  ['points between the parts', times(10, () => ({ barthelDate: '3.11.2025' })), /with --dates DD\.MM\.YYYY$/],
  ['dates in the future in any form', times(10, () => ({ barthelDate: '03/11/2027' })), undefined],
  [
    'the date of a scale that the model does not use',
    times(10, () => ({ mocaDate: '30/03/2025' })),
    /^column moca_date: .* --dates DD\/MM\/YYYY, unused$/,
  ],
  ['texts that are no number in any form', times(40, () => ({ haemoglobin: 'n/a' })), undefined],
]
for (const [what, rows, text] of CASES) {
  test(`${what}: ${text === undefined ? 'nothing is proposed' : 'a reading is proposed'}`, async () => {
    const { texts } = await found(csv(rows))
    assert.equal(texts.length, text === undefined ? 0 : 1, texts.join('\n'))
    if (text !== undefined) assert.match(texts[0] ?? '', text)
  })
}

test('a run stops where cells of a column that the model uses would be taken, and nothing is written', async () => {
  const rows = times(10, (at) => ({ haemoglobin: '9,5', barthelDate: `${at + 13}/1/2025`, albumin: '3,5' }))
  await assert.rejects(score(csv(rows)), {
    name: 'BadFile',
    message:
      'column haemoglobin: 10 of 10 refused values would be taken with --decimal-comma; column barthel_date: 10 of 10 refused values would be taken with --dates DD/MM/YYYY. Nothing was written. Add --decimal-comma --dates DD/MM/YYYY and start again',
  })
  assert.equal(existsSync(output), false)
  assert.equal(existsSync(`${output}.checkpoint`), false)
})

test('nine such cells of a column that the model uses, and ten of another: the run goes on, with a note', async () => {
  const rows = times(10, (at) => ({ haemoglobin: at < 9 ? '12,5' : '12.5', albumin: '3,5' }))
  const { notes, summary } = await score(csv(rows))
  assert.ok(existsSync(output))
  assert.equal(summary.tally.scored, 1)
  assert.match(
    notes.filter((each) => each.includes('would be taken')).join('\n'),
    /^.*in\.csv, column albumin: 10 of 10 refused values would be taken with --decimal-comma; the model does not use this column\.$/,
  )
})

test('with the option that was named, the same file is scored', async () => {
  const rows = times(10, (at) => ({ haemoglobin: '9,5', barthelDate: `${at + 13}/1/2025` }))
  const { summary } = await score(csv(rows), { decimal: 'comma', dates: 'DD/MM/YYYY' })
  assert.equal(summary.tally.scored, 10)
  assert.equal(summary.tally.problems.size, 0)
})

test('an option that does not fit the file stops the run too', async () => {
  const rows = times(10, (at) => ({ haemoglobin: '9.5', barthelDate: `1/${at + 13}/2025` }))
  await assert.rejects(score(csv(rows), { decimal: 'comma', dates: 'DD/MM/YYYY' }), {
    message: /--decimal-point.*--dates MM\/DD\/YYYY/,
  })
})

test('a unit of the deployment counts: 7,4 mmol/L would be taken, and 7,4 g/L would not', async () => {
  const rows = times(10, () => ({ haemoglobin: '7,4' }))
  const inUnit = async (unit: string): Promise<readonly string[]> => {
    const received = deploymentOf(catalog, {
      ...{ name: 'mortality', model: 'profund', output: 'number', units: { haemoglobin: unit } },
    })
    return (await found(csv(rows), {}, received)).texts
  }
  assert.equal((await inUnit('mmol/L')).length, 1)
  assert.equal((await inUnit('g/L')).length, 0)
})

/** A file, and how the summary says that it was read. */
const FORMS: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
  [
    'commas',
    csv([{}], ','),
    /^CSV in UTF-8, cells separated by commas, numbers with a decimal point, dates as DD-MM/,
  ],
  ['semicolons', csv([{}]), /cells separated by semicolons/],
  ['tabs', csv([{}], '\t'), /cells separated by tabs/],
  ['UTF-16', Buffer.from(`\ufeff${csv([{}])}`, 'utf16le'), /CSV in UTF-16/],
  ['Windows-1252', Buffer.from(csv([{ albumin: 'é' }]), 'latin1'), /CSV in Windows-1252/],
  ['a byte order mark', `\ufeff${csv([{}])}`, /CSV in UTF-8/],
  ['a line that names the separator', `sep=;\n${csv([{}])}`, /separated by semicolons/],
  [
    'the same in quotes, with other line ends',
    `"sep=|"\r\n${csv([{}], '|').replaceAll('\n', '\r\n')}`,
    /separated by pipes/,
  ],
  [
    'a line that names the separator, after a mark',
    `\ufeffSEP=\t\r\n${csv([{}], '\t')}`,
    /separated by tabs/,
  ],
]
for (const [what, content, form] of FORMS) {
  test(`it is said how a file was read: ${what}`, async () => {
    const { form: said = '', rows, columns } = await found(content)
    assert.match(said, form)
    assert.equal(rows, 1)
    assert.deepEqual(
      columns.map(({ name }) => name),
      NAMES,
    )
  })
}

test('the summary says how a file was read, and it is scored', async () => {
  const { forms = [], summary } = await score(Buffer.from(`\ufeff${csv([{}])}`, 'utf16le'))
  assert.match(forms.join('\n'), /^.*in\.csv: CSV in UTF-16, cells separated by semicolons, .*\.$/)
  assert.equal(summary.tally.scored, 1)
  assert.match(readFileSync(output, 'utf8'), /^\{"idx":0,"risk":0\./)
})

test('the forms of the options are named', async () => {
  const { form = '' } = await found(csv([{}]), { decimal: 'comma', dates: 'DD.MM.YYYY' })
  assert.match(form, /numbers with a decimal comma, dates as DD\.MM\.YYYY or DD-MM-YYYY or YYYY-MM-DD$/)
})

test('a line that names no separator of ours is left out of the table all the same', async () => {
  assert.equal((await found(`sep=x\n${csv([{}])}`)).rows, 1)
})

test('a row that cannot be read keeps its line, also below a line that names the separator', async () => {
  const { notes } = await score(`sep=;\n${csv([{}])}1;2\n`)
  assert.match(notes.join('\n'), /line 4: the row has fewer cells/)
})

test('where nobody can add an option, as in a job, the form to send is named', async () => {
  const formFor = async (cells: Cells): Promise<string> => {
    const { columns } = await found(csv(times(10, () => cells)))
    return new WrittenOtherwise(columns.flatMap(({ finding }) => (finding?.proposed.length ? finding : [])))
      .form
  }
  const asked = 'Send numbers with a decimal point, and dates as DD-MM-YYYY or YYYY-MM-DD'
  const of = '10 of 10 refused values would be taken with'
  assert.equal(await formFor({ haemoglobin: '12,5' }), `column haemoglobin: ${of} a decimal comma. ${asked}`)
  assert.equal(
    await formFor({ barthelDate: '31.12.2025' }),
    `column barthel_date: ${of} dates as DD.MM.YYYY. ${asked}`,
  )
})
