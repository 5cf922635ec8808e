/** Recalibration: the closed test finds what was done to the data, and the new version gives what it promises. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/fast-check.ts'
import { hasShape } from '@patient-risk/catalog'
import { checkModel, FaultList, type ModelDefinition } from 'patient-risk-engine/definition'
import { driftModel } from '../../../src/learn/tasks/drift-model.ts'
import { cStatistic, riskGroups, orderOf } from '@patient-risk/statistics'
import { subgroupsOf } from '../../../src/learn/figures/subgroups.ts'
import { reclassify } from '../../../src/learn/figures/thresholds.ts'
import { fitModel } from '../../../src/learn/tasks/fit-model.ts'
import { recalibrateModel } from '../../../src/learn/tasks/recalibrate-model.ts'
import { scoreRows } from '../../../src/learn/data/rows.ts'
import { validateModel } from '../../../src/learn/tasks/validate-model.ts'
import { loadRenderer } from 'patient-risk/cli'
import { CATALOG, csvOf, fileWith, fitInput, inventRows } from '../../../../../test/support/learning.ts'

const { renderReport } = await loadRenderer()
const path = fileWith('rows.csv', csvOf(inventRows(6_000, 77)))
const input = fitInput(path)
const { definition: sound } = await fitModel(input)
const work = { ...input, samples: 0, version: '1.1.0' }

const shifted = (link: object): ModelDefinition => ({ ...sound, link: link as ModelDefinition['link'] })
const own = sound.link as { kind: 'logistic'; intercept: number }
const half = sound.terms.map((term, index) =>
  index === 0 && term.kind === 'linear' ? { ...term, coefficient: term.coefficient * -1 } : term,
)
const CHANGED: readonly (readonly [string, ModelDefinition, string])[] = [
  ['a model that fits is left as it is', sound, 'none'],
  [
    'a wrong intercept asks for a new intercept',
    shifted({ ...own, intercept: own.intercept + 0.8 }),
    'intercept',
  ],
  [
    'risks that are too extreme ask for a new slope',
    shifted({ kind: 'recalibrated', of: own, intercept: 0.2, slope: 2 }),
    'slope',
  ],
  ['a term of the wrong sign asks for a refit', { ...sound, terms: half }, 'refit'],
]
for (const [name, model, method] of CHANGED) {
  test(name, async () => {
    const { definition, report, cases } = await recalibrateModel({ ...work, model, method: 'auto' })
    assert.equal(report.recalibration?.method, method)
    assert.equal(definition.version, '1.1.0')
    const faults = new FaultList('made')
    hasShape('model', { value: definition }, faults)
    checkModel(definition, CATALOG, faults)
    assert.deepEqual(faults.faults, [])
    assert.ok(cases.length > 5)
    // What the new file gives is what the report says of it.
    const { predictions } = await scoreRows(input, definition)
    const mean = predictions.risks.reduce((sum, risk) => sum + risk, 0) / predictions.risks.length
    assert.ok(Math.abs(mean - report.figures.calibration.meanPredicted) < 1e-9)
    assert.ok(Math.abs(report.figures.calibration.ratio - 1) < 0.02)
    assert.ok(!renderReport(report).includes('<script'))
  })
}

test('a table of scores is recalibrated too, around its published risks', async () => {
  const points = sound.terms.map((term) =>
    term.kind === 'category' ? { ...term, points: { F: 0, M: 2 } } : term,
  )
  const risks = [0.05, 0.08, 0.2]
  const table: ModelDefinition = {
    ...sound,
    inputs: { sex: { values: ['F', 'M'] } },
    terms: points.filter((term) => term.kind === 'category'),
    link: { kind: 'scoreTable', from: 0, risks },
  }
  const { definition, report } = await recalibrateModel({ ...work, model: table, method: 'intercept' })
  assert.equal(definition.link.kind === 'recalibrated' && definition.link.of.kind, 'scoreTable')
  assert.ok(Math.abs(report.figures.calibration.ratio - 1) < 1e-6)
})

test('a second recalibration replaces the first one', async () => {
  const first = shifted({ kind: 'recalibrated', of: own, intercept: 0.5, slope: 1.5 })
  const { definition } = await recalibrateModel({ ...work, model: first, method: 'slope' })
  if (definition.link.kind !== 'recalibrated') throw new Error('the link is not recalibrated')
  assert.deepEqual(definition.link.of, own)
  assert.ok(Math.abs(definition.link.slope - 1) < 0.01)
  assert.ok(Math.abs(definition.link.intercept) < 0.02)
})

test('reclassification: every row is counted once, on the side of its outcome', () => {
  const before = Float64Array.of(0.1, 0.2, 0.3, 0.4, 0.14996)
  const after = Float64Array.of(0.2, 0.1, 0.3, 0.1, 0.1)
  const outcomes = Uint8Array.of(1, 0, 1, 1, 0)
  assert.deepEqual(reclassify({ risks: before, outcomes, clusters: new Int32Array(5) }, after, 0.15, 0.15), {
    thresholdBefore: 0.15,
    thresholdAfter: 0.15,
    events: { stayYes: 1, stayNo: 0, toYes: 1, toNo: 1 },
    // 0.14996 rounds to 0.15 and answers Yes.
    others: { stayYes: 0, stayNo: 0, toYes: 0, toNo: 2 },
  })
})

test('a model does not drift on its own data, and does on others', async () => {
  const data = { ...input.data }
  const same = await driftModel(input, sound)
  assert.ok(Math.max(same.drift.risk, ...same.drift.inputs.map(({ index }) => index)) < 1e-3)
  const old = inventRows(2_000, 5).map((row) => ({ ...row, age: Math.min(94, row.age + 25) }))
  const moved = await driftModel({ ...input, data, path: fileWith('old.csv', csvOf(old)) }, sound)
  assert.ok((moved.drift.inputs.find(({ name }) => name === 'age')?.index ?? 0) > 0.25)
})

test('validation counts patients, leaves small parts without figures, and repeats from its seed', async () => {
  const run = (): ReturnType<typeof validateModel> =>
    validateModel({ ...work, model: sound, samples: 20, seed: 4 })
  const report = await run()
  assert.equal(report.figures.patients, 3_000)
  assert.deepEqual(await run(), report)
  const [low = 0, high = 0] = report.intervals?.cStatistic ?? []
  assert.ok(low < report.figures.cStatistic.value && report.figures.cStatistic.value < high)
  assert.deepEqual([...new Set(report.subgroups.map(({ by }) => by))], ['sex', 'age'])
})

test('few rows whose risks separate the outcome perfectly are refused with a message', async () => {
  const few = Array.from({ length: 20 }, (_each, index) => ({
    ...inventRows(1, 1)[0],
    patient: index,
    age: 30 + 3 * index,
    died: index < 10 ? 0 : 1,
  })) as unknown as ReturnType<typeof inventRows>
  const perfect = { ...work, model: sound, path: fileWith('few.csv', csvOf(few)) }
  await assert.rejects(validateModel(perfect), /calibration cannot be estimated.*more rows are needed/)
  const recalibration = recalibrateModel({ ...perfect, method: 'slope', allowSmallSample: true })
  await assert.rejects(recalibration, /calibration cannot be estimated/)
})

test('a part with fewer than ten events, or fewer than ten without, has no figures', () => {
  const count = 60
  const risks = Float64Array.from({ length: count }, (_each, row) => 0.1 + (row % 7) / 10)
  const outcomes = Uint8Array.from({ length: count }, (_each, row) =>
    row < 9 || (row >= 20 && row < 30) ? 1 : 0,
  )
  const levelOf = Uint32Array.from({ length: count }, (_each, row) => Math.floor(row / 20))
  const parts = subgroupsOf(
    { risks, outcomes, clusters: Int32Array.from(risks.keys()) },
    [{ by: 'ward', levels: ['a', 'b', 'c'], levelOf }],
    0.3,
  )
  assert.deepEqual(
    parts.map(({ level, rows, events, figures }) => [level, rows, events, figures !== undefined]),
    [
      ['a', 20, 9, false],
      ['b', 20, 10, true],
      ['c', 20, 0, false],
    ],
  )
})

const pairs = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.boolean()), {
  minLength: 2,
  maxLength: 40,
})

test('the c-statistic is the share of pairs in order, ties counting half', () => {
  fc.assert(
    fc.property(pairs, (rows) => {
      const risks = Float64Array.from(rows, ([risk]) => risk / 10)
      const outcomes = Uint8Array.from(rows, ([, happened]) => (happened ? 1 : 0))
      let wins = 0
      let all = 0
      rows.forEach(([a, yes]) => {
        rows.forEach(([b, no]) => {
          if (!yes || no) return
          all++
          if (a > b) wins++
          if (a === b) wins += 0.5
        })
      })
      if (all === 0) return
      const { value } = cStatistic({ risks, outcomes, clusters: new Int32Array(rows.length) })
      assert.ok(Math.abs(value - wins / all) < 1e-12)
    }),
  )
})

test('risks are sorted, and ties keep their order', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: 0 }), { maxLength: 60 }), (values) => {
      const expected = values
        .map((_value, index) => index)
        .sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b)
      assert.deepEqual([...orderOf(Float64Array.from(values))], expected)
    }),
  )
})

test('groups of rising risk hold every row once, and never separate equal risks', () => {
  fc.assert(
    fc.property(pairs, (rows) => {
      const risks = Float64Array.from(rows, ([risk]) => risk / 10)
      const groups = riskGroups({
        risks,
        outcomes: new Uint8Array(rows.length),
        clusters: new Int32Array(rows.length),
      })
      assert.equal(
        groups.reduce((sum, group) => sum + group.rows, 0),
        rows.length,
      )
      groups.slice(1).forEach((group, index) => assert.ok(group.lowest > (groups[index]?.highest ?? 1)))
    }),
  )
})
