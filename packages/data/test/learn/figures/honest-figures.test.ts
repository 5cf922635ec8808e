/** Figures that must not mislead: small samples, separation, repeated patients, weights, parts, missing values. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printReport } from 'patient-risk/cli'
import {
  calibrationOf,
  cStatistic,
  type Estimate,
  type Predictions,
  shareEstimate,
  wilson,
  randomFrom,
} from '@patient-risk/statistics'
import { figuresOf } from '../../../src/learn/figures/figures.ts'
import type { MadeModel } from '../../../src/learn/report/report.ts'
import { fitModel } from '../../../src/learn/tasks/fit-model.ts'
import type { Report } from '../../../src/learn/report/report.ts'
import { pool } from '../../../src/learn/figures/split.ts'
import { validateModel } from '../../../src/learn/tasks/validate-model.ts'
import {
  HEADER,
  type InventedRow,
  SPECIFICATION,
  csvOf,
  fileWith,
  fitInput,
  inventRows,
} from '../../../../../test/support/learning.ts'

const rows = inventRows(1_200, 21)
const fitted = await fitModel(fitInput(fileWith('rows.csv', csvOf(rows))))

/** The invented rows with further columns at the end. */
function withColumns(
  columns: Readonly<Record<string, (row: InventedRow, index: number) => unknown>>,
): string {
  const lines = csvOf(rows).trimEnd().split('\n').slice(1)
  const body = lines.map((line, index) =>
    [line, ...Object.values(columns).map((cell) => String(cell(rows[index] as InventedRow, index)))].join(
      ',',
    ),
  )
  return `${[[HEADER, ...Object.keys(columns)].join(','), ...body].join('\n')}\n`
}
const validate = (file: string, data: object = {}): Promise<Report> => {
  const input = fitInput(fileWith('a.csv', file))
  return validateModel({ ...input, data: { ...input.data, ...data }, model: fitted.definition, samples: 0 })
}
const fit = (few: readonly InventedRow[], change: object = {}, more: object = {}): Promise<MadeModel> =>
  fitModel({ ...fitInput(fileWith('few.csv', csvOf(few)), change), ...more })

test('too few events are refused, unless that is asked for, and then they are warned of', async () => {
  const died = rows.filter((row) => row.died === 1)
  const few = [...died.slice(0, 12), ...rows.filter((row) => row.died === 0).slice(0, 200)]
  await assert.rejects(fit(few), /12 rows have the rarer outcome, and at least 20 are required/)
  const { report } = await fit(few, {}, { allowSmallSample: true })
  assert.match(report.warnings?.join('\n') ?? '', /Only 3\.0 events for each estimate/)
})

test('bootstrap samples that fail and a low corrected slope are warned of', async () => {
  const died = rows.filter((row) => row.died === 1)
  const few = [...died.slice(0, 12), ...rows.filter((row) => row.died === 0).slice(0, 16)]
  const { report } = await fit(few, { fit: { bootstrap: 60, seed: 3 } }, { allowSmallSample: true })
  assert.match(report.warnings?.join('\n') ?? '', /bootstrap samples gave no result/)
  assert.match(report.warnings?.join('\n') ?? '', /slope corrected for optimism is 0\.\d\d, below 0\.8/)
})

test('a ridge penalty settles full separation: a model is made, and its slope is not defined', async () => {
  const separated = rows.map((row) => ({ ...row, died: row.age > 60 ? (1 as const) : (0 as const) }))
  const { report, definition } = await fit(separated, { fit: { bootstrap: 10, ridge: {} } })
  assert.ok(Number.isNaN(report.figures.calibration.slope.value))
  assert.equal(report.figures.cStatistic.value > 0.99, true)
  assert.match(report.warnings?.join('\n') ?? '', /Ridge estimates are biased/)
  assert.doesNotMatch(JSON.stringify(definition), /NaN/)
  assert.match(definition.card.discrimination[0]?.calibration ?? '', /Slope not defined/)
  let printed = ''
  const print = (text: string): number => {
    printed += text
    return text.length
  }
  printReport({ print }, report)
  assert.match(printed, /slope {8}not defined/)
  assert.doesNotMatch(printed, /NaN/)
})

test('a threshold that flags nobody is described in words', async () => {
  const threshold = { risk: 0.99, published: false, note: 'Invented.' }
  const { definition } = await fit(rows, { model: { ...SPECIFICATION.model, threshold } })
  assert.equal(definition.threshold?.cost, 'In development it flags nobody: no risk reaches the threshold.')
})

test('rows without a patient identifier are counted and reported', async () => {
  const lines = csvOf(rows).split('\n')
  const blank = lines.map((line, index) => (index > 0 && index <= 30 ? line.replace(/^\d+/, ' ') : line))
  const report = await validate(blank.join('\n'))
  assert.equal(report.data.blankPatients, 30)
  assert.match(report.warnings?.join('\n') ?? '', /30 rows have no patient identifier/)
})

/** Each row several times over, under the same patient, or each time under another. */
function repeated(times: number, isSamePatient: boolean): Predictions {
  const random = randomFrom(5)
  const once = Array.from({ length: 500 }, () => {
    const risk = 0.05 + 0.9 * random() ** 2
    return [risk, random() < risk ? 1 : 0] as const
  })
  const all = Array.from({ length: times }, () => once).flat()
  return {
    risks: Float64Array.from(all, ([risk]) => risk),
    outcomes: Uint8Array.from(all, ([, outcome]) => outcome),
    clusters: Int32Array.from(all.keys(), (row) => (isSamePatient ? row % once.length : row)),
  }
}

test("copies of a patient's row do not narrow an interval: figures, curve and groups of risk", () => {
  const once = repeated(1, true)
  const copies = repeated(5, true)
  const widths = (predictions: Predictions): readonly number[] => {
    const { cStatistic: c, calibration, curve, groups } = figuresOf(predictions, 0.3)
    const spans = [c, calibration.slope, calibration.inTheLarge, curve?.points[20], groups[5]]
    return spans.map((span) => (span?.to ?? 0) - (span?.from ?? 0))
  }
  const before = widths(once)
  const after = widths(copies)
  const wrong = widths(repeated(5, false))
  before.forEach((width, k) => {
    assert.ok(Math.abs((after[k] ?? 0) / width - 1) < 0.05, `interval ${k}`)
    assert.ok((wrong[k] ?? 0) / width < 0.5, `interval ${k} by row`)
  })
})

test('a weight of two is as good as two rows of the same patient, for every figure', () => {
  const once = repeated(1, true)
  const weights = Float64Array.from(once.risks, (_risk, row) => (row % 3 === 0 ? 2 : 1))
  const places = [...once.risks.keys()].flatMap((row) => (row % 3 === 0 ? [row, row] : [row]))
  const copied: Predictions = {
    risks: Float64Array.from(places, (row) => once.risks[row] ?? 0),
    outcomes: Uint8Array.from(places, (row) => once.outcomes[row] ?? 0),
    clusters: Int32Array.from(places),
  }
  const a = figuresOf({ ...once, weights }, 0.3)
  const b = figuresOf(copied, 0.3)
  const values = ({ cStatistic: c, calibration, brier, thresholds }: typeof a): readonly number[] => [
    c.value,
    brier.value,
    calibration.slope.value,
    calibration.slope.error,
    calibration.inTheLarge.error,
    calibration.meanPredicted,
    thresholds[3]?.netBenefit ?? 0,
  ]
  values(a).forEach((value, k) => assert.ok(Math.abs(value - (values(b)[k] ?? 0)) < 1e-6, `figure ${k}`))
  assert.ok(Math.abs(a.cStatistic.error / b.cStatistic.error - 1) < 0.01)
})

test('with one row a patient a share has the plain interval of Wilson', () => {
  const once = repeated(1, true)
  const isEvent = (row: number): boolean => once.outcomes[row] === 1
  const { value, from, to } = shareEstimate(once, isEvent)
  const plain = wilson(value, 500)
  assert.ok(Math.abs(from - plain.from) < 1e-9 && Math.abs(to - plain.to) < 1e-9)
})

test('weights change the fit as repeated rows do, and a weight of 0 is refused', async () => {
  const weighted = withColumns({ weight: (_row, index) => (index % 4 === 0 ? 3 : 1) })
  const input = fitInput(fileWith('a.csv', weighted))
  const made = await fitModel({ ...input, data: { ...input.data, weights: 'weight' } })
  const again = await fit(rows.flatMap((row, index) => (index % 4 === 0 ? [row, row, row] : [row])))
  made.report.fit?.coefficients.forEach(({ estimate, error }, k) => {
    const other = again.report.fit?.coefficients[k]
    assert.ok(Math.abs(estimate - (other?.estimate ?? 0)) < 1e-7)
    assert.ok(Math.abs(error - (other?.error ?? 0)) < 1e-7)
  })
  await assert.rejects(
    validate(withColumns({ weight: () => 0 }), { weights: 'weight' }),
    /line 2, column weight: the weight is not a number above 0/,
  )
})

test('a patient of two sites is in no fit that is evaluated on one of them', async () => {
  // Each patient has rows in both sites, so nobody is left for a fit.
  const seen = new Map<number, number>()
  const text = withColumns({
    site: ({ patient }) => {
      const count = seen.get(patient) ?? 0
      seen.set(patient, count + 1)
      return 'AB'.charAt(count % 2)
    },
  })
  assert.ok([...seen.values()].every((count) => count >= 2))
  const input = fitInput(fileWith('a.csv', text))
  const { split } = (await fitModel({ ...input, data: { ...input.data, splitBy: 'site' } })).report
  assert.deepEqual(
    split?.parts.map(({ level, figures }) => [level, figures]),
    [
      ['A', undefined],
      ['B', undefined],
    ],
  )
})

test('a fit is repeated without each site, or on the earlier years, and evaluated on what it has not seen', async () => {
  const text = withColumns({ site: ({ patient }) => 'ABC'.charAt(patient % 3) })
  const input = fitInput(fileWith('a.csv', text))
  const data = { ...input.data, splitBy: 'site' }
  const { split } = (await fitModel({ ...input, data })).report
  assert.equal(split?.how, 'fitted on the other parts')
  assert.deepEqual(
    split.parts.map(({ level, rows: count }) => [level, count]),
    [
      ['A', 400],
      ['B', 400],
      ['C', 400],
    ],
  )
  // The same as a fit on the other sites that is validated on this one.
  const others = rows.filter(({ patient }) => patient % 3 !== 2)
  const made = await fit(others, { fit: { bootstrap: 0, decimals: 15 } })
  const rest = inventedFile(rows.filter(({ patient }) => patient % 3 === 2))
  const later = await validateModel({ ...fitInput(rest), model: made.definition, samples: 0 })
  const own = split.parts[2]?.figures
  assert.ok(Math.abs((own?.cStatistic.value ?? 0) - later.figures.cStatistic.value) < 1e-9)
  assert.ok(Math.abs((own?.slope.value ?? 0) - later.figures.calibration.slope.value) < 1e-6)
  const { split: temporal } = (await fitModel({ ...input, data, isTemporal: true })).report
  assert.deepEqual(
    temporal?.parts.map(({ level }) => level),
    ['B', 'C'],
  )
})

const inventedFile = (some: readonly InventedRow[]): string => fileWith('some.csv', csvOf(some))

test('parts are pooled by random effects', () => {
  const part = (value: number, error: number): Estimate => ({ value, error, from: 0, to: 0 })
  // The formula of DerSimonian and Laird, with weights of 100, 25 and 25.
  const { value, between } = pool([part(1, 0.1), part(1.5, 0.2), part(0.9, 0.2)])
  const centre = (100 + 37.5 + 22.5) / 150
  const q = 100 * (1 - centre) ** 2 + 25 * (1.5 - centre) ** 2 + 25 * (0.9 - centre) ** 2
  const tau2 = (q - 2) / (150 - (1e4 + 625 + 625) / 150)
  const weights = [0.01, 0.04, 0.04].map((variance) => 1 / (variance + tau2))
  const mean =
    ((weights[0] ?? 0) + 1.5 * (weights[1] ?? 0) + 0.9 * (weights[2] ?? 0)) / weights.reduce((a, b) => a + b)
  assert.ok(Math.abs(value - mean) < 1e-12 && Math.abs(between - Math.sqrt(tau2)) < 1e-12)
})

test('groups are compared: differences of sensitivity, specificity and calibration with intervals', async () => {
  // One ward has twice the odds that the model knows of.
  const random = randomFrom(8)
  const text = csvOf(
    rows.map((row) => (row.patient % 2 === 0 && random() < 0.25 ? { ...row, died: 1 } : row)),
  )
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line, index) =>
      index === 0 ? `${line},ward` : `${line},${(rows[index - 1]?.patient ?? 0) % 2 === 0 ? 'high' : 'low'}`,
    )
  const { differences, subgroups } = await validate(`${lines.join('\n')}\n`, { groups: ['ward'] })
  const ward = differences.find(({ by }) => by === 'ward')
  assert.ok(ward !== undefined)
  assert.ok(Math.abs(ward.inTheLarge.value) > 0.4 && ward.inTheLarge.from * ward.inTheLarge.to > 0)
  const levels = subgroups.filter(({ by }) => by === 'ward')
  const of = (level: string): number =>
    levels.find((part) => part.level === level)?.figures?.sensitivity?.value ?? 0
  assert.ok(Math.abs((ward.sensitivity?.value ?? 0) - (of(ward.level) - of(ward.reference))) < 1e-12)
})

test('missing values are counted for each input, and complete records have figures of their own', async () => {
  const some = rows.map((row, index) => (index % 10 === 0 ? { ...row, stay: '' as never } : row))
  const inputs = { ...SPECIFICATION.model.inputs, stayDays: { whenAbsent: 4, why: 'Not known.' } }
  const made = await fitModel(fitInput(inventedFile(some), { model: { ...SPECIFICATION.model, inputs } }))
  const { data, sensitivity = [], warnings = [] } = made.report
  assert.deepEqual(
    data.missing.map(({ input, share }) => [input, share]),
    [
      ['age', 0],
      ['sex', 0],
      ['inpatientAdmissions', 0],
      ['stayDays', 0.1],
    ],
  )
  assert.equal(sensitivity[0]?.rows, 1_080)
  assert.match(warnings.join('\n'), /stayDays is missing in 10\.0 % of the used rows/)
})

test('a competing event is counted, and the figures are given if it counts as the outcome', async () => {
  const text = withColumns({ dead: ({ died }, index) => (died === 0 && index % 8 === 0 ? 1 : 0) })
  const report = await validate(text, { competing: { column: 'dead', values: ['1'] } })
  const dead = rows.filter(({ died }, index) => died === 0 && index % 8 === 0).length
  assert.equal(report.competing, dead)
  const [counted, leftOut] = report.sensitivity ?? []
  assert.equal(counted?.events, report.figures.events + dead)
  assert.equal(leftOut?.rows, report.figures.rows - dead)
  assert.ok((counted.figures?.inTheLarge.value ?? 0) > 0.1)
  assert.match(report.warnings?.join('\n') ?? '', /competing event happened/)
})

test('errors are by patient in a fit whenever patients repeat, unless the specification says otherwise', async () => {
  assert.equal(fitted.report.fit?.clustered, true)
  const plain = (await fit(rows, { fit: { bootstrap: 0, clustered: false } })).report.fit
  assert.equal(plain?.clustered, false)
  fitted.report.fit.coefficients.forEach(({ estimate, error }, k) => {
    assert.equal(plain.coefficients[k]?.estimate, estimate)
    assert.notEqual(plain.coefficients[k].error, error)
  })
  const once = repeated(1, true)
  assert.ok(calibrationOf(once).slope.error > 0 && cStatistic(once).error > 0)
})
