/** Learning on models of 50 trees: all that needs no fit works as for any model, and a refit is refused with its reason. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadCatalog } from '@patient-risk/catalog'
import { loadRenderer, writeModel } from 'patient-risk/cli'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { DataError } from '../../../src/tables/data-error.ts'
import { checkSpecification } from '../../../src/learn/data/specification.ts'
import { randomFrom } from '@patient-risk/statistics'
import { intendedUsePage, tripodChecklist } from '../../../src/learn/report/checklist.ts'
import type { MadeModel } from '../../../src/learn/report/report.ts'
import { driftModel } from '../../../src/learn/tasks/drift-model.ts'
import { monitorMonths, scoreMonths } from '../../../src/learn/tasks/monitor-months.ts'
import { recalibrateModel } from '../../../src/learn/tasks/recalibrate-model.ts'
import { validateModel } from '../../../src/learn/tasks/validate-model.ts'
import { folderModels, risksOf, treeRecords } from '../../../../../test/support/tree-folder.ts'
import { CATALOG, expit, fileWith, newFolder } from '../../../../../test/support/learning.ts'

const ROWS = 3_000
const { renderReport } = await loadRenderer()

/** Rows whose outcomes follow the model's own risks, with log odds that are stretched and shifted. */
function inputFor(model: ModelDefinition, slope: number, shift: number) {
  const random = randomFrom(11)
  const names = Object.keys(model.inputs)
  const records = treeRecords(CATALOG, model, ROWS, 12)
  const risks = risksOf(CATALOG, model, records)
  const lines = records.map((record, row) => {
    const risk = risks[row] as number
    const died = random() < expit(slope * Math.log(risk / (1 - risk)) + shift) ? 1 : 0
    const month = `2026-${String(1 + (row % 6)).padStart(2, '0')}`
    return [...names.map((name) => record[name] ?? ''), month, row, died].join(',')
  })
  const path = fileWith(
    'rows.csv',
    `${[[...names, 'month', 'patient', 'died'].join(','), ...lines].join('\n')}\n`,
  )
  const { data } = checkSpecification({
    data: {
      outcome: { column: 'died', yes: ['1'], no: ['0'] },
      patient: 'patient',
      columns: Object.fromEntries(names.map((name) => [name, { column: name }])),
    },
  })
  return { catalog: CATALOG, today: 20260101, data, path, model, samples: 0, version: '2.0.0' }
}

for (const model of folderModels(CATALOG).filter(({ id }) => /fifty|gaps|forest|cox/.test(id))) {
  const sound = inputFor(model, 1, 0)

  test(`${model.id}: validated as it is, with intervals, and without a correction for optimism`, async () => {
    const report = await validateModel({ ...sound, samples: 20, seed: 1 })
    const { calibration } = report.figures
    assert.ok(Math.abs(calibration.ratio - 1) < 0.1, `${calibration.ratio}`)
    assert.ok(report.intervals !== undefined && report.optimism === undefined)
    assert.match(report.uncorrected?.join() ?? '', /decision trees, which are not fitted here/)
    assert.match(renderReport(report), /decision trees, which are not fitted here/)
    const gaps = Object.values(model.inputs).some(({ whenAbsent }) => whenAbsent === null)
    assert.equal(report.data.assumed !== undefined && report.data.assumed.length > 0, gaps)
  })

  test(`${model.id}: months are in control, and records like its own have not drifted`, async () => {
    const monitored = monitorMonths(await scoreMonths(sound, model, 'month'), 6)
    assert.deepEqual(monitored.alarms, [])
    assert.equal(monitored.months.length, 6)
    const { drift } = await driftModel(sound, model)
    assert.ok(drift.risk < 0.1, `${drift.risk}`)
    for (const { name, index } of drift.inputs) assert.ok(index < 0.1, `${name}: ${index}`)
  })

  for (const method of ['intercept', 'slope', 'auto'] as const) {
    test(`${model.id}: recalibrated by ${method} to the risks of other patients`, async () => {
      const given = inputFor(model, method === 'intercept' ? 1 : 1.6, 0.7)
      const made = await recalibrateModel({ ...given, method, samples: method === 'auto' ? 10 : 0, seed: 1 })
      const { calibration } = made.report.figures
      assert.ok(Math.abs(calibration.ratio - 1) < 0.02, `${calibration.ratio}`)
      assert.notEqual(made.report.recalibration?.method, 'none')
      assert.equal(made.report.recalibration?.test.full, 'slope')
      assert.deepEqual(made.definition.terms, model.terms)
      assert.equal(made.definition.link.kind, 'recalibrated')
      checkWritten(made)
    })
  }

  test(`${model.id}: a refit is refused with what to do instead`, async () => {
    await assert.rejects(
      recalibrateModel({ ...sound, method: 'refit' }),
      (error) =>
        error instanceof DataError && error.message.includes('method slope estimates; train the model again'),
    )
  })

  test(`${model.id}: the checklist and the page on intended use name no node`, () => {
    for (const page of [tripodChecklist, intendedUsePage]) {
      const text = page({ model, hasSpecification: false, report: undefined })
      assert.ok(text.length < 20_000, `${text.length} characters`)
      assert.doesNotMatch(text, /undefined|NaN|\[object/)
    }
  })
}

/** The files of a made model load, and its worked cases hold. */
function checkWritten(made: MadeModel): void {
  const out = newFolder()
  writeModel(CATALOG, made, out, renderReport)
  const { catalog, faults } = loadCatalog(['clinical', out])
  assert.deepEqual(faults, [])
  const { id, version } = made.definition
  assert.deepEqual(catalog?.models.get(`${id}@${version}`)?.selfCheckFailures, [])
  assert.ok(made.cases.length > 5)
}
