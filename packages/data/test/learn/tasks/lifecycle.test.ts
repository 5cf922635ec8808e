/** Models from elsewhere and models in service: import, monitoring, and the papers for reviewers. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ModelCaseDefinition } from '@patient-risk/catalog'
import { learnMonitor } from 'patient-risk/cli'
import { intendedUsePage, tripodChecklist } from '../../../src/learn/report/checklist.ts'
import { fitModel } from '../../../src/learn/tasks/fit-model.ts'
import { type MonitorReport, monitorMonths, readRisks } from '../../../src/learn/tasks/monitor-months.ts'
import { randomFrom } from '@patient-risk/statistics'
import { runHere } from '../../../../../test/support/run-command.ts'
import {
  CATALOG,
  SPECIFICATION,
  TRUTH,
  csvOf,
  expit,
  fileWith,
  fitInput,
  inventRows,
  newFolder,
  trueOdds,
} from '../../../../../test/support/learning.ts'

/** Rows with the risk that the original model gives. */
const rows = inventRows(12, 3).map((row) => [
  row.age,
  row.sex,
  row.admissions,
  row.stay,
  expit(trueOdds(row)),
])
const rowFile = fileWith(
  'expected.csv',
  `age,sex,admissions,stay,risk\n${rows.map((row) => row.join(',')).join('\n')}\n`,
)
const specification = fileWith('spec.json', JSON.stringify(SPECIFICATION))

const importWith = (
  table: string,
  ...more: readonly string[]
): { readonly out: string; readonly run: Promise<number | null> } => {
  const out = newFolder()
  const coefficients = fileWith('table.csv', table)
  const args = [
    'learn',
    'import',
    '--specification',
    specification,
    '--coefficients',
    coefficients,
    '--rows',
    rowFile,
    '--out',
    out,
  ]
  return { out, run: runHere([...args, ...more]).then(({ code }) => code) }
}

const TABLES = {
  'broom::tidy': `term,estimate,std.error,statistic,p.value
(Intercept),-3.2,0.1,1,0.1
age,0.25,0.1,1,0.1
sexM,0.3,0.1,1,0.1
inpatientAdmissions,0.6,0.1,1,0.1
stayDays,0.2,0.1,1,0.1
`,
  statsmodels:
    'term,estimate\nIntercept,-3.2\nsex[T.M],0.3\nage,0.25\ninpatientAdmissions,0.6\nstayDays,0.2\n',
} as const
for (const [tool, table] of Object.entries(TABLES)) {
  test(`a table of ${tool} becomes a model whose cases are invented, not the given rows`, async () => {
    const { out, run } = importWith(table)
    assert.equal(await run, 0)
    const folder = join(out, 'models/invented@1.0.0')
    const cases = JSON.parse(
      readFileSync(join(folder, 'cases.json'), 'utf8'),
    ) as readonly ModelCaseDefinition[]
    assert.ok(cases.length >= 10)
    const ofRows = new Set(rows.map(([age, sex, admissions, stay]) => [age, sex, admissions, stay].join()))
    const isRow = ({ record }: ModelCaseDefinition): boolean =>
      ofRows.has(['age', 'sex', 'inpatientAdmissions', 'stayDays'].map((name) => String(record[name])).join())
    assert.equal(cases.some(isRow), false)
    assert.equal(existsSync(join(folder, 'report.json')), false)
  })
}

test('a table of a scikit-learn pipeline is turned back from its scaler', async () => {
  const scaler = { age: [5.4, 2.1], male: [0.5, 0.5], admissions: [0.4, 0.5], stay: [1.5, 0.6] } as const
  const names = { age: 'age', male: 'sex_M', admissions: 'inpatientAdmissions', stay: 'stayDays' } as const
  const lines = (Object.keys(scaler) as (keyof typeof scaler)[]).map((key) => {
    const [mean, scale] = scaler[key]
    return `${names[key]},${TRUTH[key] * scale},${mean},${scale}`
  })
  const shift = (Object.keys(scaler) as (keyof typeof scaler)[]).reduce(
    (sum, key) => sum + TRUTH[key] * scaler[key][0],
    0,
  )
  const table = `term,estimate,mean,scale\nintercept,${-3.2 + shift},,\n${lines.join('\n')}\n`
  assert.equal(await importWith(table, '--scaled').run, 0)
  assert.equal(await importWith(table).run, 1, 'without --scaled the risks differ')
})

const WRONG = {
  'a coefficient that is off': TABLES.statsmodels.replace('0.25', '0.26'),
  'a term that is not there': TABLES.statsmodels.replace('stayDays,0.2\n', ''),
  'a term too many': `${TABLES.statsmodels}albumin,1\n`,
  'no intercept': TABLES.statsmodels.replace('Intercept,-3.2\n', ''),
} as const
for (const [name, table] of Object.entries(WRONG)) {
  test(`an import is refused: ${name}`, async () => {
    const { out, run } = importWith(table)
    assert.equal(await run, 1)
    assert.equal(existsSync(join(out, 'models')), false)
  })
}

/** Two years of predictions whose outcomes follow them, and from a month on do not. */
function months(change: (odds: number) => number, from: number): string {
  const random = randomFrom(11)
  const lines = Array.from({ length: 24 * 300 }, (_each, index) => {
    const month = Math.floor(index / 300)
    const odds = -2.2 + 2.4 * (random() - 0.5) * 2
    const truth = expit(month >= from ? change(odds) : odds)
    const date = `${2024 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-15`
    return `${date},${expit(odds)},${random() < truth ? 1 : 0}`
  })
  return fileWith('months.csv', `date,risk,event\n${lines.join('\n')}\n`)
}
const WORDS = ['--risk', 'risk', '--outcome', 'event', '--month', 'date', '--json', '--data']

test('monitoring: a model in control ends with 0, one that drifts with 3, and the months are named', async () => {
  assert.equal(await learnMonitor.run([...WORDS, months((odds) => odds, 99)]), 0)
  assert.equal(await learnMonitor.run([...WORDS, months((odds) => odds + 0.9, 18)]), 3)
  const data = { outcome: { column: 'event', yes: ['1'], no: ['0'] } }
  const monitor = async (path: string): Promise<MonitorReport> =>
    monitorMonths(await readRisks({ path, data }, 'risk', 'date'), 6)
  const shifted = await monitor(months((odds) => odds + 0.9, 18))
  assert.equal(shifted.alarms.length, 1)
  assert.match(
    shifted.alarms[0] ?? '',
    /^2025-(07|08|09): the outcomes do not fit the risks: the evidence is [\d,]+, the limit 2,400$/,
  )
  const random = await monitor(months(() => -2, 18))
  assert.match(random.alarms[0] ?? '', /^2025-\d\d: /)
  assert.equal(shifted.months.length, 24)
})

test('monitoring: months with few events raise the alarm where many were expected', async () => {
  const data = { outcome: { column: 'event', yes: ['1'], no: ['0'] }, patient: 'patient' }
  // Each month has 100 rows with a risk of 0.3; the last one has two events only.
  const file = (patientOf: (row: number) => number): string => {
    const lines = Array.from({ length: 300 }, (_each, row) => {
      const isEvent = row < 200 ? row % 10 < 3 : row < 202
      return `2025-0${1 + Math.floor(row / 100)},${row % 2 === 0 ? 0.25 : 0.35},${isEvent ? 1 : 0},${patientOf(row)}`
    })
    return fileWith('few.csv', `month,risk,event,patient\n${lines.join('\n')}\n`)
  }
  const alarms = async (path: string): Promise<readonly string[]> =>
    monitorMonths(await readRisks({ path, data }, 'risk', 'month'), 2).alarms
  assert.match((await alarms(file((row) => row))).join(), /^2025-03: /)
  // Rows of two patients say little.
  assert.deepEqual(await alarms(file((row) => row % 2)), [])
})

test('monitoring: rows count by their weight, and a weight of 0 is refused', async () => {
  const lines = (weight: number): string =>
    Array.from({ length: 200 }, (_each, row) => {
      const isEvent = row % 5 === 0
      return `2025-01,${row % 2 === 0 ? 0.1 : 0.3},${isEvent ? 1 : 0},${isEvent ? weight : 1}`
    }).join('\n')
  const monitor = async (weight: number): Promise<MonitorReport> => {
    const path = fileWith('weighted.csv', `month,risk,event,weight\n${lines(weight)}\n`)
    const data = { outcome: { column: 'event', yes: ['1'], no: ['0'] }, weights: 'weight' }
    return monitorMonths(await readRisks({ path, data }, 'risk', 'month'), 1)
  }
  assert.equal((await monitor(1)).months[0]?.observed, 0.2)
  assert.equal((await monitor(2)).months[0]?.observed, 1 / 3)
  const evidence = async (weight: number): Promise<number> => (await monitor(weight)).months[0]?.evidence ?? 0
  assert.ok((await evidence(3)) > (await evidence(2)), 'events that count more are more evidence of too many')
  await assert.rejects(monitor(0), /line 2, column weight: the weight is not a number above 0/)
})

test('monitoring: a month whose rows all have a small weight is little evidence beside the others', async () => {
  const monitor = async (second: number): Promise<readonly number[]> => {
    const lines = Array.from({ length: 200 }, (_each, row) => {
      const isSecond = row >= 100
      const isEvent = row % (isSecond ? 2 : 5) === 0
      return `2025-0${isSecond ? 2 : 1},${row % 3 === 0 ? 0.1 : 0.25},${isEvent ? 1 : 0},${isSecond ? second : 4}`
    })
    const path = fileWith('months.csv', `month,risk,event,weight\n${lines.join('\n')}\n`)
    const data = { outcome: { column: 'event', yes: ['1'], no: ['0'] }, weights: 'weight' }
    const { months } = monitorMonths(await readRisks({ path, data }, 'risk', 'month'), 1)
    return months.map(({ evidence }) => evidence)
  }
  const [first = 0, whole = 0] = await monitor(4)
  const [again = 0, quarter = 0] = await monitor(1)
  assert.equal(again, first, 'the largest weight is the same')
  assert.ok(quarter < whole / 10, `${quarter} is not much less than ${whole}`)
})

test('monitoring: an option that it does not use is refused', async () => {
  for (const option of ['--group', '--competing'])
    await assert.rejects(learnMonitor.run([...WORDS, 'months.csv', option, 'date']), /Unknown option/)
})

test('monitoring: a report is drawn, and wrong cells are refused with their line', async () => {
  const report = join(newFolder(), 'monitor')
  const path = months((odds) => odds, 99)
  assert.equal(await learnMonitor.run([...WORDS, path, '--report', report]), 0)
  assert.match(readFileSync(`${report}.html`, 'utf8'), /<svg class="chart"[\s\S]*c-statistic/)
  const args = WORDS.slice(0, -2)
  const wrong = fileWith('wrong.csv', 'date,risk,event\n2025-01-01,1.2,0\n')
  const refused = await runHere(['learn', 'monitor', ...args, '--data', wrong])
  assert.equal(refused.code, 1)
  assert.match(refused.err, /line 2/)
})

test('the checklist says what is known and leaves the rest open; nothing is invented', async () => {
  const { definition, report } = await fitModel(fitInput(fileWith('rows.csv', csvOf(inventRows(600, 2)))))
  const text = tripodChecklist({ model: definition, report, hasSpecification: true })
  const items = text.split('\n').filter((line) => /^\| \d+[a-g]? \|/.test(line))
  assert.equal(items.length, 52)
  assert.equal(new Set(items.map((line) => Number.parseInt(line.slice(2), 10))).size, 27)
  assert.match(text, /\| 23a \|.*c-statistic 0\.\d{3}/)
  assert.match(text, /\| 17 \|.*\*\*open\*\*/)
  const page = intendedUsePage({ model: definition, hasSpecification: false })
  assert.match(page, /What you must still do before clinical use/)
})

/** Items that ask for something that no card, report or specification has, whatever else these say. */
const ALWAYS_OPEN =
  '2 3a 3c 4 5a 5b 6a 6c 7 8a 8b 8c 9a 9b 9c 10 12c 14 16 17 18a 18b 18c 18d 18e 19 20b 20c 25 27b 27c'.split(
    ' ',
  )
/** Items that need a report, and of them those that also need a split into parts. */
const OF_REPORT = '1 6b 11 12a 12e 12f 12g 13 18f 20a 21 23a 24'.split(' ')
const OF_SPLIT = ['12d', '23b']
test('an item of the checklist is filled only if all that it asks for is there', async () => {
  const input = fitInput(fileWith('rows.csv', csvOf(inventRows(600, 2))))
  const { definition: model, report } = await fitModel(input)
  const openIn = (text: string): readonly string[] => {
    const open = text.split('\n').filter((line) => line.includes('**open**'))
    assert.ok(text.includes(`${open.length} of 52 items are open`))
    return open.map((line) => line.split('|')[1]?.trim() ?? '')
  }
  const withReport = tripodChecklist({ model, report, hasSpecification: true })
  assert.deepEqual(openIn(withReport).toSorted(), [...ALWAYS_OPEN, ...OF_SPLIT].toSorted())
  const without = openIn(tripodChecklist({ model, hasSpecification: false }))
  assert.deepEqual(without.toSorted(), [...ALWAYS_OPEN, ...OF_SPLIT, ...OF_REPORT].toSorted())
  // What is known of an open item is printed, with what is missing.
  assert.match(withReport, /\| 10 \|.*\d+ events for 4 estimates\. \*\*open\*\*: the calculation/)
})

test('every model of the catalogue can print both documents', () => {
  for (const { definition: model } of CATALOG.models.values()) {
    for (const text of [
      tripodChecklist({ model, hasSpecification: false }),
      intendedUsePage({ model, hasSpecification: false }),
    ]) {
      assert.doesNotMatch(text, /undefined|NaN|\[object/)
    }
  }
})

test('the commands are found by their names', async () => {
  for (const name of ['plan', 'import', 'monitor', 'checklist']) {
    const { code, out } = await runHere(['learn', name, '--help'])
    assert.equal(code, 0)
    assert.match(out, new RegExp(`Usage: patient-risk learn ${name}`))
  }
})
