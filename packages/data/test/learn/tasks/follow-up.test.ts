/** Validation by times of follow-up: what is read, what is refused, and that the figures are those of the statistics. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { UsageError, learnValidate } from 'patient-risk/cli'
import { checkSpecification } from '../../../src/learn/data/specification.ts'
import type { FollowUpReport } from '../../../src/learn/report/follow-up-report.ts'
import { validateFollowUp } from '../../../src/learn/tasks/validate-follow-up.ts'
import { CATALOG, SPECIFICATION, fileWith, newFolder } from '../../../../../test/support/learning.ts'
import { runHere } from '../../../../../test/support/run-command.ts'
import { type Row, inventFollowUp, storedRows } from '../../../../../test/support/follow-up.ts'

type Competing = NonNullable<ModelDefinition['card']['competing']>

/** Its risk is a tenth of the creatinine, so that rows can have any risk. */
function modelWith(competing: Competing | undefined, horizonDays = 365): ModelDefinition {
  const { model } = SPECIFICATION
  const card = {
    ...model.card,
    horizonDays,
    development: 'Invented.',
    discrimination: [],
    calibration: 'None.',
  }
  return {
    ...model,
    card: competing === undefined ? card : { ...card, competing },
    inputs: { creatinine: {} },
    terms: [{ kind: 'linear', label: 'Risk', field: 'creatinine', per: 10, coefficient: 1 }],
    link: { kind: 'identity' },
    threshold: { risk: 0.3, published: false, note: 'Invented.', cost: 'Invented.' },
  }
}

const HEADER = 'patient,creatinine,days,status'
const lineOf = ([day, end, risk]: Row, patient: unknown): string =>
  `${String(patient)},${risk * 10},${day},${end}`
const csvOf = (rows: readonly Row[], patientOf = (row: number): unknown => row): string =>
  `${[HEADER, ...rows.map((row, index) => lineOf(row, patientOf(index)))].join('\n')}\n`

const FOLLOW_UP = { time: 'days', status: 'status' }
const dataWith = (change: object = {}) =>
  checkSpecification({
    data: {
      outcome: { column: null },
      patient: 'patient',
      followUp: FOLLOW_UP,
      decimalComma: false,
      ...change,
    },
  }).data

interface Asked {
  readonly model?: ModelDefinition
  readonly data?: object
  readonly samples?: number
  readonly name?: string
}

function validate(
  text: string,
  { model, data = {}, samples = 0, name = 'a.csv' }: Asked = {},
): Promise<FollowUpReport> {
  return validateFollowUp({
    catalog: CATALOG,
    today: 20260101,
    data: dataWith(data),
    path: fileWith(name, text),
    model: model ?? modelWith('none'),
    samples,
  })
}

const stored = csvOf(storedRows)
const close = (found: number | undefined, expected: number, within = 1e-9): void =>
  assert.ok(Math.abs((found ?? Number.NaN) - expected) < within, `${found} and ${expected}`)

/** What the card says · the readings, each with its share and a c-statistic of the reference. */
const CARDS = [
  ['none', [['none', 0.226335832, 'wolbers', 0.663053165]]],
  ['censored', [['censored', 0.2420131067, 'uno', 0.6683732299]]],
  ['event', [['event', 0.3339747658, 'uno', 0.6445540112]]],
  [
    'unstated',
    [
      ['none', 0.226335832, 'wolbers', 0.663053165],
      ['event', 0.3339747658, 'harrell', 0.6449520456],
    ],
  ],
] as const
for (const [competing, readings] of CARDS) {
  test(`a card that says "${competing}" of a death decides what is estimated`, async () => {
    const report = await validate(stored, { model: modelWith(competing) })
    assert.deepEqual(
      report.readings.map(({ deathIs }) => deathIs),
      readings.map(([deathIs]) => deathIs),
    )
    readings.forEach(([, share, statistic, c], index) => {
      const reading = report.readings[index]
      close(reading?.observed.value, share)
      close(reading?.concordance[statistic], c)
      assert.equal(reading?.groups.length, 5)
    })
    assert.equal(report.model.competing, competing)
    assert.equal(
      report.warnings.some((text) => text.includes('both ways')),
      competing === 'unstated',
    )
  })
}

test('a card that says nothing of a death is read both ways', async () => {
  const { readings, model } = await validate(stored, { model: modelWith(undefined) })
  assert.equal(readings.length, 2)
  assert.equal(model.competing, 'unstated')
})

test('where death is the outcome, a row that died first is refused with its line', async () => {
  const line = 2 + storedRows.findIndex(([, end]) => end === 2)
  await assert.rejects(
    validate(stored, { model: modelWith('impossible') }),
    new RegExp(
      `line ${line}, column status: says that the patient died first, but death is the outcome of invented`,
    ),
  )
  const alive = storedRows.map(([day, end, risk]): Row => [day, end === 2 ? 0 : end, risk])
  const { readings, warnings } = await validate(csvOf(alive), { model: modelWith('impossible') })
  const [reading] = readings
  assert.equal(reading?.deathIs, 'impossible')
  close(reading.observed.value, 0.2420131067)
  assert.ok(!warnings.some((text) => text.includes('died first')))
})

test('without a row that died first both readings are one, and a warning asks how deaths are coded', async () => {
  const alive = storedRows.map(([day, end, risk]): Row => [day, end === 2 ? 0 : end, risk])
  const { readings, warnings } = await validate(csvOf(alive), { model: modelWith('unstated') })
  assert.equal(readings.length, 1)
  assert.match(warnings.join('\n'), /If deaths are coded as censored in these data, the figures are wrong/)
})

test('codes of the status are mapped, and rows without a time or a status are left out and counted', async () => {
  const words = ['alive', 'readmitted', 'dead'] as const
  const texts = storedRows.map(
    ([day, end, risk], row) => `${row},${risk * 10},${day},${words[end as 0 | 1 | 2]}`,
  )
  const text = `${[HEADER, ...texts, '901,3,,alive', '902,3,400,', '903,3,400,NA', '904,,400,alive'].join('\n')}\n`
  const followUp = {
    ...FOLLOW_UP,
    censored: ['alive'],
    event: ['readmitted'],
    diedFirst: ['dead', 'deceased'],
  }
  const report = await validate(text, { data: { followUp } })
  close(report.readings[0]?.ratio.value, 0.9311792056)
  assert.deepEqual(report.data.leftOut, [
    { reason: 'no status', rows: 2 },
    { reason: 'no time of follow-up', rows: 1 },
    { reason: 'creatinine missing', rows: 1 },
  ])
  assert.equal(report.data.used, 300)
  await assert.rejects(
    validate(text, { data: { followUp: { ...followUp, censored: ['alive', 'dead'] } } }),
    /the code dead of column status has two meanings/,
  )
})

const UNREADABLE = [
  ['1,2,-1,0', /line 3, column days: the time is not a number of days, 0 or more/],
  ['1,2,12a,0', /line 3, column days: the time is not/],
  ['1,2,1e3,0', /line 3, column days: the time is not/],
  ['1,2,12,3', /line 3, column status: the status is none of 0, 1, 2; say under `followUp`/],
  ['1,2,12,1.0', /line 3, column status: the status is none of/],
] as const
for (const [line, reason] of UNREADABLE) {
  test(`the row ${line} stops the run with its line`, async () => {
    await assert.rejects(validate(`${HEADER}\n0,2,3,0\n${line}\n`), reason)
  })
}

test('a decimal comma is read where it is stated, and a point or a comma else stops the run', async () => {
  const halves = storedRows.map(([day, end, risk]): Row => [day + 0.5, end, risk])
  const comma = csvOf(halves).replaceAll(',', ';').replaceAll('.', ',')
  const { readings } = await validate(comma, { data: { decimalComma: true } })
  close(readings[0]?.observed.value, (await validate(csvOf(halves))).readings[0]?.observed.value ?? 0)
  await assert.rejects(
    validate(comma.replaceAll(/;(\d+),5;/g, ';$1.5;'), { data: { decimalComma: true } }),
    /column days/,
  )
  await assert.rejects(validate(comma.replaceAll(/;(\d+),(\d+);(\d+),5;/g, ';$1.$2;$3,5;')), /column days/)
})

test('a time that may be a thousand is refused until the decimal mark is stated', async () => {
  const text = csvOf([...storedRows, [400, 0, 0.2]]).replace(/,400,0\n$/, ',1.095,0\n')
  // Such as 1.095 days of a Spanish file.
  const wholes = text.replaceAll(/^(\d+),[\d.]+,/gm, '$1,2,')
  await assert.rejects(
    validate(wholes, { data: { decimalComma: undefined } }),
    /line 302, column days: may be a thousand/,
  )
  assert.equal((await validate(wholes)).data.used, 301)
})

test('NDJSON gives the same figures as CSV', async () => {
  const lines = storedRows.map(([days, status, risk], patient) =>
    JSON.stringify({ patient: String(patient), creatinine: Number((risk * 10).toFixed(3)), days, status }),
  )
  const { readings } = await validate(`${lines.join('\n')}\n`, { name: 'a.ndjson' })
  close(readings[0]?.ratio.value, 0.9311792056)
})

const followed = (count: number, day: number, end = 0): readonly Row[] =>
  Array.from({ length: count }, (_each, row) => [day, end, 0.1 + (row % 5) / 10])
const REFUSED: readonly (readonly [string, readonly Row[], RegExp])[] = [
  [
    'nobody is followed to the horizon',
    followed(50, 300),
    /no row is followed beyond day 365, the horizon of invented; the longest follow-up is 300 days/,
  ],
  [
    'times are cut off at the horizon',
    [...followed(40, 365), ...followed(10, 20, 1)],
    /40 are censored on day 365 itself: who was watched for the whole of that day needs a later one, such as 366/,
  ],
  [
    'too few remain',
    [...followed(91, 30), ...followed(9, 400), ...followed(12, 20, 1)],
    /only 9\.0 % would not be lost by day 365, the horizon of invented, and at least 10 % must remain/,
  ],
  [
    'no event',
    [...followed(50, 400), ...followed(3, 366, 1)],
    /no row has the event by day 365.*codes of the status/,
  ],
  ['no rows', [], /no rows are left to validate with/],
]
for (const [name, rows, reason] of REFUSED) {
  test(`refused: ${name}`, async () => {
    // A file without rows has no types.
    const text = rows.length === 0 ? `${HEADER}\n1,,3,0\n` : csvOf(rows)
    await assert.rejects(validate(text), reason)
  })
}

test('exactly a tenth that remains is enough', async () => {
  const rows = [...followed(90, 30), ...followed(10, 400), ...followed(12, 20, 1)]
  close((await validate(csvOf(rows))).readings[0]?.followed.remaining, 0.1)
})

test('rows that are censored on the last day itself are warned of', async () => {
  const { warnings } = await validate(csvOf([...storedRows, [365, 0, 0.2], [365, 0, 0.3]]))
  assert.match(
    warnings.join('\n'),
    /2 rows are censored on day 365 itself, and count as not followed to its end/,
  )
  assert.doesNotMatch((await validate(stored)).warnings.join('\n'), /censored on day/)
})

test('the verdict says in words whether the mean risk fits', async () => {
  const verdictAt = async (times: number) => {
    const rows = storedRows.map(([day, end, risk]): Row => [day, end, Number((risk * times).toFixed(4))])
    const { meanRiskIs, verdict } = (await validate(csvOf(rows))).readings[0] ?? {}
    return [meanRiskIs, verdict] as const
  }
  const [fits, text] = await verdictAt(1)
  assert.equal(fits, 'fits')
  assert.match(
    text ?? '',
    /^No error of the mean risk is shown: 22\.6 % had the event by day 365, and 24\.3 % were predicted\. From 0\.75 to 1\.16 events/,
  )
  assert.equal((await verdictAt(0.6))[0], 'tooLow')
  assert.match((await verdictAt(0.6))[1] ?? '', /^The risks are too low: 22\.6 % .* only 14\.6 %/)
  assert.equal((await verdictAt(1.4))[0], 'tooHigh')
})

test('intervals come from samples of patients, not of rows, and the same seed gives the same ones', async () => {
  const rows = inventFollowUp(400, 9, 500)
  const thrice = [...rows, ...rows, ...rows]
  const widthOf = async (text: string): Promise<readonly number[]> => {
    const { intervals } = (await validate(text, { samples: 60 })).readings[0] ?? {}
    assert.ok(intervals !== undefined)
    return [intervals.ratio, intervals.slope, intervals.wolbers].map(([from, to]) => to - from)
  }
  const once = await widthOf(csvOf(rows))
  const copies = await widthOf(csvOf(thrice, (row) => row % rows.length))
  const asOthers = await widthOf(csvOf(thrice))
  once.forEach((width, k) => {
    close(copies[k], width, 1e-6)
    assert.ok((asOthers[k] ?? 1) < 0.8 * width)
  })
})

test('samples of patients spread as the standard errors say', async () => {
  const { observed, ratio, inTheLarge, slope, intervals } =
    (await validate(stored, { samples: 400 })).readings[0] ?? {}
  const like = (span: readonly [number, number] | undefined, error = 0): void => {
    const found = ((span?.[1] ?? 0) - (span?.[0] ?? 0)) / (2 * 1.96)
    assert.ok(Math.abs(found / error - 1) < 0.15, `${found} and ${error}`)
  }
  like(intervals?.observed, observed?.error)
  like(intervals?.ratio, (ratio?.value ?? 0) * (ratio?.error ?? 0))
  like(intervals?.inTheLarge, inTheLarge?.error)
  like(intervals?.slope, slope?.error)
  // The errors of riskRegression.
  like(intervals?.brier, 0.0129338653)
  like(intervals?.area, 0.0410329896)
})

test('parts of the data have a ratio of their own, or are too few', async () => {
  const wardOf = (row: number): string => (row % 10 === 0 ? 'small' : row % 2 === 0 ? 'north' : 'south')
  const lines = storedRows.map((row, index) => `${lineOf(row, index)},${wardOf(index)}`)
  const text = `${HEADER},ward\n${lines.join('\n')}\n`
  for (const data of [{ groups: ['ward'] }, { splitBy: 'ward' }]) {
    const { parts = [] } = (await validate(text, { data })).readings[0] ?? {}
    const wards = parts.filter(({ by }) => by === 'ward')
    assert.deepEqual(
      wards.map(({ level }) => level),
      ['north', 'small', 'south'],
    )
    assert.equal(
      wards.reduce((sum, { events }) => sum + events, 0),
      62,
    )
    assert.equal(wards[1]?.figures, undefined)
    const alone = storedRows.filter((_row, index) => wardOf(index) === 'north')
    close(wards[0]?.figures?.ratio.value, (await validate(csvOf(alone))).readings[0]?.ratio.value ?? 0)
  }
})

test('a weight counts a row as that many rows', async () => {
  const weighted = storedRows.map((row, index) => `${lineOf(row, index)},${index % 3 === 0 ? 2 : 1}`)
  const text = `${HEADER},weight\n${weighted.join('\n')}\n`
  const copied = storedRows.flatMap((row, index) => (index % 3 === 0 ? [row, row] : [row]))
  const [own] = (await validate(text, { data: { weights: 'weight' } })).readings
  const [other] = (await validate(csvOf(copied))).readings
  close(own?.ratio.value, other?.ratio.value ?? 0)
  close(own?.brier.value, other?.brier.value ?? 0)
  close(own?.slope.value, other?.slope.value ?? 0, 1e-7)
})

const OWN_MODEL = ['--model', 'readmission30', '--data', 'a.csv']
const USAGE = [
  [['--time', 'days'], /--time goes with --status/],
  [['--status', 'status', '--outcome', 'died'], /--status goes with --time/],
  [['--time', 'days', '--status', 's', '--outcome', 'died'], /--outcome does not go with times of follow-up/],
  [['--time', 'days', '--status', 's', '--competing', 'died'], /--competing does not go/],
  [['--time', 'days', '--status', 's', '--threshold', '0.2'], /--threshold does not go/],
] as const
for (const [args, reason] of USAGE) {
  test(`wrong usage: ${args.join(' ')}`, async () => {
    await assert.rejects(learnValidate.run([...OWN_MODEL, ...args]), (error) => {
      assert.ok(error instanceof UsageError)
      assert.match(error.message, reason)
      return true
    })
  })
}

/** Records of the default model, followed for up to 60 days. */
const records = storedRows.map(([day, end, risk], row) =>
  [row, 40 + (row % 50), row % 2 === 0 ? 'F' : 'M', Math.floor(risk * 6), 0, 4, Math.ceil(day / 8), end].join(
    ',',
  ),
)
const service = `patient,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays,days,status\n${records.join('\n')}\n`
const COLUMNS = ['--time', 'days', '--status', 'status', '--patient', 'patient', '--samples', '20']

test('the command prints both readings in words, and writes the report as JSON and HTML', async () => {
  const data = fileWith('service.csv', service)
  const report = join(newFolder(), 'followed')
  const args = [
    'learn',
    'validate',
    '--model',
    'readmission30',
    '--data',
    data,
    ...COLUMNS,
    '--report',
    report,
  ]
  const { code, out, err } = await runHere(args)
  assert.equal(code, 0, err)
  assert.equal([...out.matchAll(/^ {2}verdict /gm)].length, 2)
  assert.match(out, /^ {2}by day 30 +\d+ events, \d+ died first, \d+ lost by then, \d+ followed beyond$/m)
  assert.match(out, /Wolbers[\s\S]*Uno[\s\S]*Harrell/)
  assert.match(err, /Warning: Only \d+ rows have the event by day 30/)
  const written = JSON.parse(readFileSync(`${report}.json`, 'utf8')) as FollowUpReport
  assert.equal(written.kind, 'follow-up')
  const page = readFileSync(`${report}.html`, 'utf8')
  for (const { verdict } of written.readings)
    assert.ok(page.includes(verdict.replaceAll(/(\d) %/g, '$1%')), verdict)
})

test('the report that the service shows of a model is not replaced by one of times', async () => {
  const folder = newFolder()
  const data = fileWith('service.csv', service)
  const wanted = (name: string): Promise<{ readonly code: number | null; readonly err: string }> =>
    runHere([
      'learn',
      'validate',
      '--model',
      'readmission30',
      '--data',
      data,
      ...COLUMNS,
      '--report',
      join(folder, name),
    ])
  assert.equal((await wanted('report')).code, 0)
  const { writeFileSync } = await import('node:fs')
  writeFileSync(join(folder, 'cases.json'), '[]')
  const { code, err } = await wanted('report.html')
  assert.equal(code, 1)
  assert.match(err, /is the report that the service shows of this model/)
  assert.equal((await wanted('followed')).code, 0)
})
