/** A date before 01-01-1900 is out of range in every reader: objects, bytes, lines, SQL, files, FHIR and the words of the page. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { createScorer } from '../../src/scorer.ts'
import type { ColumnType } from '../../src/sql/read-field.ts'
import {
  answerOf,
  bundle,
  encounter,
  observation,
  patient,
  recordsOf,
  sourceOf,
} from '../../../server/test/adapters/fhir/source.ts'
import { scoreFile } from '../../../data/test/bulk/score-file.ts'
import { readTableRows, writeParquet } from '../../../../test/support/table-files.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { catalogueModel } from '../sql/cases.ts'
import { type Case, engineResults } from '../sql/compare.ts'
import { useEngines } from '../sql/engines.ts'
import { OPTIONS, TODAY } from '../../../../test/support/small-definitions.ts'

/** A day as records write it, as databases do, and whether it is out of range. */
const DAYS = [
  ['31-12-1899', '1899-12-31', true],
  ['01-01-1900', '1900-01-01', false],
  ['02-01-1900', '1900-01-02', false],
  ['01-01-0001', '0001-01-01', true],
  ['14-03-2026', '2026-03-14', false],
] as const
const PATIENT = { age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const RECORDS = DAYS.map(([day], idx) => ({ idx, ...PATIENT, barthel_date: day }))

const catalog = testCatalog()
const model = catalogueModel('readmission30')
const folder = mkdtempSync(join(tmpdir(), 'earliest-date-'))
after(() => rmSync(folder, { recursive: true }))
const { agree } = useEngines()

const problemOf = (idx: number): object => ({
  Field: 'barthel_date',
  FieldDate: '',
  ExtendError: `ValueError for value Date in idx ${idx} (out of range)`,
})
const RISK = 0.2294
/** The model does not read the date, so the risk is given all the same. */
const EXPECTED = DAYS.map(([, , isEarly], idx) => ({
  idx,
  risk: RISK,
  error_message: isEarly ? [problemOf(idx)] : null,
}))

function resultsIn(text: string): unknown {
  return JSON.parse(text)
}

for (const reader of ['reference', 'bytes'] as const) {
  const scorer = createScorer(catalog.definitions, model, { ...OPTIONS, reader })

  test(`${reader}: an array of records`, () => {
    const { bytes } = scorer.score(Buffer.from(JSON.stringify(RECORDS)), TODAY)
    assert.deepEqual(resultsIn(Buffer.from(bytes).toString()), EXPECTED)
  })

  test(`${reader}: one record each, and validate`, () => {
    for (const [at, record] of RECORDS.entries()) {
      const body = Buffer.from(JSON.stringify([record]))
      assert.deepEqual(resultsIn(Buffer.from(scorer.score(body, TODAY).bytes).toString()), [EXPECTED[at]])
      const valid = { idx: at, valid: true, error_message: EXPECTED[at]?.error_message }
      assert.deepEqual(resultsIn(Buffer.from(scorer.validate(body, TODAY).bytes).toString()), [valid])
    }
  })

  test(`${reader}: lines`, () => {
    const lines = RECORDS.map((record) => `${JSON.stringify(record)}\n`).join('')
    const { bytes } = scorer.lines.score(Buffer.from(lines), TODAY, { first: 0, duplicates: new Set() })
    const text = Buffer.from(bytes).toString().trim().replaceAll('\n', ',')
    assert.deepEqual(resultsIn(`[${text}]`), EXPECTED)
  })
}

for (const type of ['cell', 'text', 'date'] as const satisfies readonly ColumnType[]) {
  test(`SQL: a column of type ${type} in DuckDB and PostgreSQL`, async () => {
    const columns = Object.keys(PATIENT).map((name) => {
      return { name, type: name === 'sex' ? ('text' as const) : ('integer' as const) }
    })
    const given: Case = {
      definitions: catalog.definitions,
      model,
      output: { kind: 'number' },
      table: {
        columns: [{ name: 'idx', type: 'integer' }, ...columns, { name: 'barthel_date', type }],
        rows: DAYS.map(([day, isoDay], idx) => [
          idx,
          ...Object.values(PATIENT),
          type === 'date' ? isoDay : day,
        ]),
      },
    }
    const expected = DAYS.map(([, , isEarly], idx) => (isEarly ? [problemOf(idx)] : null))
    // The tests of SQL have a day of their own, on which the last of these lies in the future.
    assert.deepEqual(
      engineResults(given)
        .slice(0, -1)
        .map(({ error_message }) => error_message),
      expected.slice(0, -1),
    )
    await agree(given)
  })
}

const FORMATS = ['ndjson', 'csv', 'parquet', 'parquet of days'] as const
for (const format of FORMATS) {
  test(`files: ${format}`, async () => {
    const from = format === 'parquet of days' ? 'parquet' : format
    const input = join(folder, `in-${format.replaceAll(' ', '-')}.${from}`)
    const rows = RECORDS.map((record, at) =>
      format === 'parquet of days' ? { ...record, barthel_date: DAYS[at]?.[1] } : record,
    )
    if (from === 'ndjson') writeFileSync(input, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    else if (from === 'csv') {
      const lines = rows.map((row) => Object.values(row).join(','))
      writeFileSync(input, `${Object.keys(RECORDS[0] ?? {}).join(',')}\n${lines.join('\n')}\n`)
    } else {
      const day = format === 'parquet' ? 'VARCHAR' : 'DATE'
      const types = Object.fromEntries(
        Object.keys(PATIENT).map((name) => [name, name === 'sex' ? 'VARCHAR' : 'BIGINT']),
      )
      await writeParquet(input, { idx: 'BIGINT', ...types, barthel_date: day }, rows)
    }
    const output = join(folder, `out-${format.replaceAll(' ', '-')}.${from === 'ndjson' ? 'ndjson' : 'csv'}`)
    const to = from === 'ndjson' ? 'ndjson' : 'csv'
    await scoreFile({ input, from, output, to, catalog, today: TODAY })
    const results =
      to === 'ndjson'
        ? (resultsIn(`[${readFileSync(output, 'utf8').trim().replaceAll('\n', ',')}]`) as readonly object[])
        : (await readTableRows(output, 'csv')).map(({ idx, risk, error_message: problems }) => ({
            idx: Number(idx),
            risk: Number(risk),
            error_message: problems === null ? null : resultsIn(problems as string),
          }))
    assert.deepEqual(results, EXPECTED)
  })
}

// Only fields that the model takes are looked for, and this one takes the Barthel Index.
test('FHIR: an assessment of 1899 is found with its date, which is out of range; one of 1900 is not', () => {
  const total = { valueQuantity: { value: 85 } }
  for (const [day, isoDay, isEarly] of DAYS.slice(0, 3)) {
    const stay = encounter('index', 'IMP', '1899-12-28', '1900-01-04')
    const barthel = observation('b', '96761-2', undefined, { ...total, effectiveDateTime: isoDay })
    const body = bundle(patient({ birthDate: '1820-06-15' }), stay, barthel)
    const query = { asOf: '1900-01-05', history: 'complete' }
    const [read] = recordsOf(body, query)
    assert.equal(read?.record['barthel_date'], day)
    const answer = JSON.stringify(answerOf(body, sourceOf('profund'), query))
    assert.equal(answer.includes('ValueError for value Date in idx 0 (out of range)'), isEarly, answer)
  }
})

/** What is tested of the page, which is bundled as for a browser. */
interface Page {
  loadLanguage(language: 'en' | 'es'): Promise<void>
  makeWords(language: 'en' | 'es', locale: string): object
  describeProblem(words: object, item: object, field: object): string
}

test('the page says that the day is too early, in both languages', async () => {
  const source = (name: string): string =>
    fileURLToPath(new URL(`../../../workbench/src/i18n/${name}.ts`, import.meta.url))
  const contents = ['problem-words', 'translate', 'words']
    .map((name) => `export * from ${JSON.stringify(source(name))}`)
    .join('\n')
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    format: 'esm',
    write: false,
  })
  const text = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
  const page = (await import(`data:text/javascript;base64,${text}`)) as Page
  const field = { name: 'barthel_date', type: 'date' }
  const shown: string[] = []
  for (const [language, locale] of [
    ['en', 'en-GB'],
    ['es', 'es-ES'],
  ] as const) {
    await page.loadLanguage(language)
    shown.push(page.describeProblem(page.makeWords(language, locale), problemOf(0), field))
  }
  assert.deepEqual(shown, [
    'This day lies before 1900. Check day, month and year.',
    'Este día es anterior a 1900. Revise día, mes y año.',
  ])
})
