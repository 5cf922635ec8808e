/** A service that was installed without optional packages, and without the build of the page: what works, and what is said of the rest. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { copyCheckout } from '../support/checkout-copy.ts'
import { endGroups, firstStart, spawnGroup } from '../support/own-group.ts'

const folder = mkdtempSync(join(tmpdir(), 'left-out-'))
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }))

copyCheckout(folder, { without: /^@duckdb\// })

const RECORD = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const RESULT = '{"idx":1,"risk":0.2294,"error_message":null}\n'
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
write('a.ndjson', `${JSON.stringify(RECORD)}\n`)
write('a.csv', `${Object.keys(RECORD).join()}\n${Object.values(RECORD).join()}\n`)

const { peerDependencies } = JSON.parse(readFileSync('packages/patient-risk/package.json', 'utf8')) as {
  readonly peerDependencies: Readonly<Record<string, string>>
}
const MISSING = new RegExp(
  '^Tables \\(CSV, Parquet, XLSX\\) need DuckDB, which is not installed here \\(ERR_MODULE_NOT_FOUND\\): ' +
    `run npm install @duckdb/node-api@${peerDependencies['@duckdb/node-api']}\n`,
)
const NOT_BUILT =
  /^Reports are rendered with the page\. The page is not built here\. Run npm ci without --omit /
const validate = 'learn validate --model lace --data a.csv --outcome sex'

/** Words · exit code · what stdout says · what stderr says. */
const RUNS: readonly (readonly [string, number, RegExp, RegExp])[] = [
  ['score a.ndjson --quiet', 0, new RegExp(`^${RESULT}$`), /^$/],
  ['sql --dialect duckdb --model lace', 0, /SELECT/, /^$/],
  ['learn plan --prevalence 0.1 --parameters 5', 0, /^CRITERION/, /^$/],
  ['score a.csv', 1, /^$/, MISSING],
  ['score a.ndjson --output a.parquet', 1, /^$/, MISSING],
  ['score a.ndjson a.csv --output-dir out', 1, /^$/, MISSING],
  [validate, 1, /^$/, MISSING],
  [`${validate} --report report.html`, 1, /^$/, NOT_BUILT],
]
for (const [words, code, out, err] of RUNS) {
  test(`patient-risk ${words} exits ${code}`, () => {
    const before = readdirSync(folder)
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['bin/patient-risk.js', ...words.split(' ')],
      {
        cwd: folder,
        encoding: 'utf8',
        env: {},
      },
    )
    assert.match(stderr, err)
    assert.match(stdout, out)
    assert.equal(status, code)
    if (code !== 0) assert.deepEqual(readdirSync(folder), before)
  })
}

test('the service starts, scores, and says in its log and at / that the page is not built', async () => {
  const env = { PORT: '0', DATA_DIR: join(folder, 'data-of-service') }
  const server = spawnGroup(process.execPath, ['bin/patient-risk.js', 'serve'], { cwd: folder, env })
  try {
    const { origin, key, text } = await firstStart(server.stdout)
    assert.match(
      text,
      /"event":"page-not-built","reason":"The page is not built here\. Run npm ci without --omit /,
    )
    const authorization = `Bearer ${key}`
    for (const [type, body, answer] of [
      ['application/json', JSON.stringify([RECORD]), `[${RESULT.trim()}]`],
      ['application/x-ndjson', JSON.stringify(RECORD), RESULT],
    ] as const) {
      const headers = { authorization, 'content-type': type }
      const response = await fetch(`${origin}/risk/api/do/v0`, { method: 'POST', headers, body })
      assert.equal(await response.text(), answer)
    }
    const page = await fetch(`${origin}/`)
    assert.equal(page.status, 404)
    assert.match(((await page.json()) as { detail: string }).detail, /^The page is not built here\./)
  } finally {
    endGroups()
  }
})
