/** Tables and lines convert the units that a deployment receives, as requests do. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { PROFUND_PATIENT as PATIENT } from '../../../../../test/support/records.ts'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { deploymentOf, scoreFile } from '../score-file.ts'

const catalog = testCatalog()

test('a CSV file and lines of JSON give the same risks in other units', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-units-'))
  const records = [8.1, 6.2, 6.21, 30].map((haemoglobin, idx) => ({
    idx,
    ...PATIENT,
    barthel_total: 20 - idx,
    haemoglobin,
  }))
  const [first] = records
  assert.ok(first)
  const rows = [Object.keys(first), ...records.map((record) => Object.values(record))]
  const inputs = [
    ['csv', rows.map((row) => row.join(',')).join('\n')],
    ['ndjson', records.map((record) => JSON.stringify(record)).join('\n')],
  ] as const
  try {
    const deployment = deploymentOf(catalog, {
      model: 'profund',
      units: { haemoglobin: 'mmol/L', barthel_total: 'of 20' },
    })
    const answers = []
    for (const [from, text] of inputs) {
      const input = join(folder, `in.${from}`)
      const output = join(folder, `out-${from}.ndjson`)
      writeFileSync(input, `${text}\n`)
      await scoreFile({ from, to: 'ndjson', input, output, catalog, today: 20260101, deployment })
      answers.push(readFileSync(output, 'utf8'))
    }
    assert.equal(answers[0], answers[1])
    const risks = [...(answers[0] ?? '').matchAll(/"risk":([^,]+)/g)].map(([, risk]) => risk)
    assert.deepEqual(risks, ['0.146', '0.315', '0.146', 'null'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
