/** `sql --dbt`: what it prints, and what it refuses. `npm run test:dbt` runs it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ran, runHere } from '../../../../test/support/run-command.ts'

const print = (...args: readonly string[]): Promise<Ran> =>
  runHere(['sql', '--model', 'lace', '--dbt', ...args])
const DUCKDB = ['--dialect', 'duckdb', '--unique']

test('the model names source and results of the project, and compares the column that changes', async () => {
  const { out, code } = await print(
    ...DUCKDB,
    '--table',
    'clinic.patients',
    '--updated',
    'seen at',
    '--keep',
    'ward',
  )
  assert.equal(code, 0)
  assert.match(out, /^-- lace@[\d.]+, .*\n-- Made by patient-risk sql --dbt/)
  assert.match(out, /\{% if is_incremental\(\) %\}\n.*NOT EXISTS/)
  assert.match(out, /SELECT given\.\* FROM \{\{ source\('clinic', 'patients'\) \}\} AS given/)
  assert.match(out, /AND same\."seen at" = given\."seen at"\n/)
  assert.match(out, /AND same\.deployment_digest = 'sha-256=:[\w+/]{43}=:'\n/)
  assert.match(out, /AS deployment_digest,\n {2}\w+ AS "ward",\n {2}\w+ AS "seen at"\nFROM/)
  // Quotes of names within a text of Jinja.
  assert.match(out, /post_hook="DELETE .* WHERE given\.\\"idx\\" = kept\.idx\)"\n/)
  // Nothing else is read by Jinja.
  assert.equal(out.match(/\{[{%#]/g)?.length, 8)
})

test('a plain name is a model or seed, and an identifier of any type takes the place of the idx', async () => {
  const { out } = await print(...DUCKDB, '--id', 'nhc')
  assert.match(out, /FROM \{\{ ref\('patients'\) \}\} AS given/)
  assert.match(out, /WHERE same\.idx = given\."nhc"/)
})

const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
  [['--dialect', 'duckdb'], /--dbt needs --unique/],
  [['--dialect', 'spark', '--unique'], /--dbt is for --dialect duckdb and postgres/],
  [['--dialect', 'postgres', '--unique', '--lookup'], /--dbt and --lookup are two forms/],
  [[...DUCKDB, '--notices'], /leave out --notices/],
  [[...DUCKDB, '--today', '2026-11-18'], /leave out --today/],
  [[...DUCKDB, '--table', 'a.b.c'], /--table a\.b\.c: --dbt takes the name of a model or seed/],
  [[...DUCKDB, '--table', "x') }}"], /--dbt takes the name/],
  [[...DUCKDB, '--keep', 'scored_at'], /--keep scored_at: the results already have a column/],
  [[...DUCKDB, '--updated', 'model'], /--keep model: the results already have a column/],
  [[...DUCKDB, '--columns', 'idx,age'], /--keep updated_at: --columns does not list it/],
]
for (const [args, message] of REFUSED) {
  test(`refused: ${args.join(' ')}`, async () => {
    const { code, err } = await print(...args)
    assert.equal(code, 2)
    assert.match(err, message)
  })
}

test('--updated goes with --dbt alone', async () => {
  const { code, err } = await runHere(['sql', '--dialect', 'duckdb', '--updated', 'x'])
  assert.deepEqual([code, err.split('\n')[0]], [2, '--updated goes with --dbt.'])
})
