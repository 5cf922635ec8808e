/** Risks of jobs with tables are counted, and their rows are watched, as those of the scoring call are. */
// Own process: the process of a table job reads CONFIG of its environment.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type DeploymentSettings, jobSettings } from '@patient-risk/catalog/config'
import { DuckDBInstance } from '@duckdb/node-api'
import { AppError } from '@patient-risk/runtime'
import type { TableResult, TableRunner } from '@patient-risk/server'
import { SCORE, type Served, serve } from '../../../../test/support/serve.ts'
import { until } from '../../../../test/support/until.ts'
import type { ChildMessage } from '../../src/jobs/table-runner.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-tables-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const readmission: DeploymentSettings = {
  ...{ name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
  outcomes: { horizonDays: 30, eta: 1 },
}
const flag: DeploymentSettings = {
  ...readmission,
  name: 'flag',
  basePath: '/flag',
  output: 'yes-no',
  threshold: 0.15,
}
const deployments = [readmission, flag]
const config = join(folder, 'config.json')
writeFileSync(config, JSON.stringify({ deployments }))
process.env['CONFIG'] = config

const RECORD = { sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
/** As that of the service, at the priority of the test: with the lowest one it would not end on a machine that is busy. */
const runner: TableRunner = {
  isAvailable: () => true,
  run: (task, onCounted) =>
    new Promise<TableResult>((resolve, reject) => {
      const path = new URL('../../src/jobs/table-process.ts', import.meta.url)
      const child = fork(path, [], { serialization: 'advanced', execArgv: [] })
      const refuse = (error: Error): void => {
        reject(error)
        child.kill()
      }
      child.on('message', (said: ChildMessage) => {
        if (said.kind === 'done') resolve(said.result)
        else if (said.kind === 'refused') reject(new AppError(said.code, said.detail))
        else if (said.kind === 'bug') reject(new Error(said.error))
        else onCounted(said.rows).then(() => void child.send('score'), refuse)
      })
      child.on('error', reject)
      child.send(task)
    }),
}

/** One idx is repeated, one record has no risk, and one a code of another convention. */
const records = [
  ...Array.from({ length: 60 }, (_each, place) => ({ idx: place, ...RECORD, age: 30 + place })),
  { idx: 3, ...RECORD, age: 70 },
  { idx: 99, ...RECORD, age: 999 },
  { idx: 98, ...RECORD, age: 70, sex: 'H' },
]
const names = ['idx', 'age', 'sex', 'inpatientAdmissions', 'emergencyAdmissions', 'stayDays'] as const
const csv = [names.join(), ...records.map((record) => names.map((name) => record[name]).join())].join('\n')

const countsOf = async (
  served: Served,
  base: string,
  name: string,
): Promise<readonly (readonly unknown[])[]> => {
  await served.store.chainEnds()
  const card = (await served.get(`${base}${SCORE}/model`)).json() as { deployment: { digest: string } }
  const digest = card.deployment.digest.slice(9, -1)
  const cells = await served.store.readScoredRisks(name, digest, ['', '9999-12'], ['bin'])
  return cells
    .map(({ bin = 0, number, units }) => [bin, number, units] as const)
    .sort(([one], [other]) => one - other)
}

for (const [name, base] of [
  ['readmission', ''],
  ['flag', '/flag'],
] as const) {
  test(`${name}: a table counts what the scoring call counts`, async () => {
    const settings = jobSettings({ folder: join(folder, name) })
    const served = await serve({
      deployments,
      service: { jobs: { settings, runner, worker: { pollMs: 20 } } },
    })
    try {
      await served.post(records, { path: `${base}${SCORE}` })
      const ofCall = await countsOf(served, base, name)
      assert.equal(
        ofCall.reduce((sum, [, number]) => sum + Number(number), 0),
        59,
      )
      const path = `${base}${SCORE}/jobs?to=csv`
      // A sender of its own: nothing is known of its feed yet.
      const sender = { authorization: `Bearer ${await served.makeKey({ name: 'tables' })}` }
      const answer = await served.post(csv, { path, headers: { 'content-type': 'text/csv', ...sender } })
      assert.equal(answer.status, 202, answer.text)
      const job = String(answer.headers['content-location'])
      await until(async () => (await served.get(job, sender)).status === 200)
      const ended = await served.get(job, sender)
      const manifest = ended.json() as { state: string; output: { url: string }[] }
      assert.equal(manifest.state, 'done', JSON.stringify(manifest))
      assert.equal(ended.headers['risk-feed-doubt'], 'sex;doubt=codes, stayDays;doubt=constant')
      // Nothing of the counts is in the results.
      const results = await served.get(manifest.output[0]?.url ?? '', sender)
      assert.equal(results.text.split('\n')[0]?.trim(), 'idx,risk,error_message')
      assert.deepEqual(
        await countsOf(served, base, name),
        ofCall.map(([bin, number, units]) => [bin, 2 * Number(number), 2 * Number(units)]),
      )
    } finally {
      await served.close()
    }
  })
}

/** A column without values: a few kilobytes, however many rows it has. Scoring as many as this takes an hour. */
const MANY_ROWS = 20_000_000

test('a small table with many rows is refused before one of them is scored', async () => {
  const path = join(folder, 'many.parquet')
  const database = await (await DuckDBInstance.create()).connect()
  await database.run(
    `COPY (SELECT CAST(NULL AS INTEGER) AS age FROM range(${MANY_ROWS})) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 5000000)`,
  )
  const settings = jobSettings({ folder: join(folder, 'many') })
  const served = await serve({ deployments, service: { jobs: { settings, runner, worker: { pollMs: 20 } } } })
  try {
    const headers = { 'content-type': 'application/vnd.apache.parquet' }
    const body = readFileSync(path)
    assert.ok(body.length < 1_000_000, `${body.length} bytes`)
    const answer = await served.post(body, { path: `${SCORE}/jobs`, headers })
    const job = String(answer.headers['content-location'])
    await until(async () => (await served.get(job)).status === 200)
    const { text } = await served.get(job)
    assert.match(text, /"state":"failed".*"code":"TOO_MANY_RECORDS"/)
    assert.ok(text.includes(`The table holds ${MANY_ROWS} records; a job may have 5000000.`), text)
  } finally {
    await served.close()
  }
})

test('a table is watched as a part of its feed: its job, its files and the next call name what is in doubt', async () => {
  const settings = jobSettings({ folder: join(folder, 'watched') })
  const served = await serve({ deployments, service: { jobs: { settings, runner, worker: { pollMs: 20 } } } })
  const doubt = /(^|, )sex;doubt=codes($|, )/
  // Women are M and men are H; the ages of all are right.
  const spanish = csv.replaceAll(',F,', ',M,').replace(',M,', ',H,')
  try {
    const sent = await served.post(spanish, {
      path: `${SCORE}/jobs?to=ndjson`,
      headers: { 'content-type': 'text/csv' },
    })
    const job = String(sent.headers['content-location'])
    await until(async () => (await served.get(job)).status === 200)
    for (const path of [job, `${job}/files/results.ndjson`])
      assert.match(String((await served.get(path)).headers['risk-feed-doubt']), doubt)
    assert.match(String((await served.post([records[0]])).headers['risk-feed-doubt']), doubt)
    const [alarm] = await served.store.readAlarms()
    assert.deepEqual([alarm?.kind, alarm?.field, alarm?.reference], ['feed', 'sex', 'codes'])
  } finally {
    await served.close()
  }
})
