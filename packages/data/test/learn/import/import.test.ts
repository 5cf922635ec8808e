/** Importing models: features become fields, rows prove the result and are not kept, and every refusal names its place. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  checkModel,
  FaultList,
  type ModelDefinition,
  type SplitDefinition,
  type TreeDefinition,
  edgeOf,
  isSplit,
} from 'patient-risk-engine/definition'
import { DataError } from '../../../src/tables/data-error.ts'
import { modelRunFor } from '../../../src/learn/data/gather.ts'
import type { FeatureSpecification } from '../../../src/learn/data/specification.ts'
import type { SourceFeature, SourceModel } from '../../../src/learn/import/source.ts'
import { CombinationCounter } from '../../../src/learn/import/combination-counter.ts'
import { convertTerms } from '../../../src/learn/import/convert-terms.ts'
import { workedCases } from '../../../src/learn/import/worked-cases.ts'
import { splitWarning } from 'patient-risk/cli'
import { randomFrom } from '@patient-risk/statistics'
import { runHere } from '../../../../../test/support/run-command.ts'
import { CATALOG, SPECIFICATION, fileWith, newFolder } from '../../../../../test/support/learning.ts'

const { card, source, licence } = SPECIFICATION.model as unknown as ModelDefinition
const about = {
  id: 'made',
  version: '1.0.0',
  title: 'Made',
  card: { ...card, development: 'None.', calibration: 'None.', discrimination: [{ data: 'None.' }] },
  source,
  licence,
}

type Given = Readonly<Record<string, number | string | null>>
type Inputs = ModelDefinition['inputs']

/** The points of trees over features, walked as their splits say. */
function walked(trees: readonly TreeDefinition[], given: Given): number {
  const sideOf = (split: SplitDefinition): 'then' | 'else' => {
    const value = given[split.field] ?? null
    if (value === null) return split.absent ?? 'else'
    if (split.oneOf !== undefined) return split.oneOf.map(String).includes(String(value)) ? 'then' : 'else'
    return Number(value) < edgeOf(split, 'both') ? 'then' : 'else'
  }
  return trees.reduce((sum, tree) => {
    let node = tree[0]
    while (node !== undefined && isSplit(node)) node = tree[node[sideOf(node)]]
    return sum + (node ?? 0)
  }, 0)
}

const FEATURES: readonly SourceFeature[] = [
  { name: 'years', kind: 'number' },
  { name: 'sex_M', kind: 'number' },
  { name: 'sex_X', kind: 'unknown' },
  { name: 'tumour', kind: 'code', codes: ['no', 'one', 'spread', 'never'] },
  { name: 'dementia', kind: 'number' },
  { name: 'lab', kind: 'number' },
  { name: 'visits', kind: 'code' },
  { name: 'lab_gap', kind: 'number' },
  { name: 'tumour_gap', kind: 'number' },
]
const MAPPING: Readonly<Record<string, FeatureSpecification>> = {
  years: { field: 'age' },
  sex_M: { field: 'sex', is: ['M'] },
  sex_X: { field: 'sex', is: ['X'], otherwise: null },
  tumour: { field: 'cancer', values: { none: 'no', solitary: 'one', metastatic: 'spread' } },
  lab: { field: 'albumin', absent: -1 },
  visits: { field: 'edVisits6Months' },
  lab_gap: { field: 'albumin', is: [], absent: 1 },
  tumour_gap: { field: 'cancer', is: [], absent: 1 },
}
const why = 'The model takes it.'
const INPUTS: Inputs = {
  age: {},
  sex: {},
  cancer: { whenAbsent: null, why },
  dementia: { whenAbsent: null, why },
  albumin: { whenAbsent: null, why },
  edVisits6Months: { to: 20 },
}

/** What the features are for a record, told apart from the code that is tested. */
function featuresOf(record: Readonly<Record<string, unknown>>): Given {
  const has = (field: string): boolean => record[field] !== undefined
  const tumours = new Map<unknown, string>([
    ['none', 'no'],
    ['solitary', 'one'],
    ['metastatic', 'spread'],
  ])
  return {
    years: record['age'] as number,
    sex_M: record['sex'] === 'M' ? 1 : 0,
    sex_X: record['sex'] === 'X' ? 1 : null,
    tumour: tumours.get(record['cancer']) ?? null,
    dementia: has('dementia') ? Number(record['dementia']) : null,
    lab: has('albumin') ? (record['albumin'] as number) : -1,
    visits: record['edVisits6Months'] as number,
    lab_gap: has('albumin') ? 0 : 1,
    tumour_gap: has('cancer') ? 0 : 1,
  }
}

test('random trees over features give the same points over fields, and pass the checks of a model', () => {
  const random = randomFrom(17)
  const below = (count: number): number => Math.floor(random() * count)
  const splitOn = (feature: SourceFeature): Omit<SplitDefinition, 'then' | 'else'> => {
    const absent = random() < 0.5 ? 'then' : 'else'
    const { name: field, kind, codes } = feature
    const pool = codes ?? Array.from({ length: 25 }, (_, code) => code)
    if (kind === 'code')
      return { field, oneOf: pool.filter(() => random() < 0.4).concat(pool[0] ?? 0), absent }
    const edge =
      { years: below(110), lab: below(90) / 10 - 0.5 }[field] ?? [-0.5, 0, 0.5, 1, 1.5][below(5)] ?? 0
    return random() < 0.5 ? { field, below: edge, absent } : { field, upTo: edge, absent }
  }
  const growTree = (): TreeDefinition => {
    const nodes: (number | SplitDefinition)[] = []
    const grow = (depth: number): number => {
      const at = nodes.push(below(1000) / 100) - 1
      if (depth === 0) return at
      const feature = FEATURES[below(FEATURES.length)] as SourceFeature
      nodes[at] = { ...splitOn(feature), then: grow(depth - 1), else: grow(depth - 1) }
      return at
    }
    grow(4)
    return nodes
  }
  for (let round = 0; round < 20; round++) {
    const trees = [growTree(), growTree(), growTree()]
    const model: SourceModel = {
      tool: 'None',
      features: FEATURES,
      terms: [{ kind: 'trees', combine: 'sum', rounding: 'both', trees }],
      link: { kind: 'logistic', intercept: -9 },
    }
    const { terms } = convertTerms(model, { catalog: CATALOG, model: { inputs: INPUTS }, features: MAPPING })
    const text = JSON.stringify(terms)
    const used = Object.entries(INPUTS).filter(([name]) => text.includes(`"${name}"`))
    const inputs = { ...Object.fromEntries(used), edVisits6Months: { to: 20 } }
    const definition = { ...about, inputs, terms: [...terms], link: model.link } as ModelDefinition
    const faults = new FaultList('made')
    checkModel(definition, CATALOG, faults)
    assert.deepEqual(faults.faults, [])
    const run = modelRunFor({ catalog: CATALOG, today: 20260101 }, definition)
    for (let row = 0; row < 200; row++) {
      const maybe = (field: string, value: unknown): object => (random() < 0.2 ? {} : { [field]: value })
      const record = {
        age: below(100),
        sex: ['F', 'M', 'X'][below(3)],
        edVisits6Months: below(21),
        ...maybe('cancer', ['none', 'solitary', 'metastatic'][below(3)]),
        ...maybe('dementia', random() < 0.5),
        ...maybe('albumin', below(70) / 10 + 0.5),
      }
      const { score, blocked } = run.assess(record)
      assert.equal(blocked, false)
      assert.ok(Math.abs(score - walked(trees, featuresOf(record))) < 1e-9, JSON.stringify(record))
    }
    const cases = workedCases(run, CATALOG.domains)
    assert.ok(cases.length > 20 && cases.length <= 200)
    assert.ok(cases.every(({ risk, unrounded }) => risk === null || (unrounded ?? Number.NaN) >= 0))
  }
})

test('every feature and every code that cannot be mapped is named at once', () => {
  const trees: TreeDefinition[] = [
    [
      { field: 'agee', below: 3, then: 1, else: 2, absent: 'then' },
      1,
      { field: 'sex', oneOf: ['F'], then: 3, else: 4, absent: 'then' },
      2,
      { field: 'hair', below: 1, then: 5, else: 6, absent: 'then' },
      3,
      { field: 'cancer', below: 2, then: 7, else: 8, absent: 'else' },
      1,
      { field: 'stayDays', oneOf: ['3'], then: 9, else: 10, absent: 'else' },
      1,
      2,
    ],
  ]
  const features: readonly SourceFeature[] = [
    { name: 'agee', kind: 'number' },
    { name: 'sex', kind: 'code', codes: ['F', 'M'] },
    { name: 'hair', kind: 'number' },
    { name: 'cancer', kind: 'number' },
    { name: 'stayDays', kind: 'code', codes: ['3', '4'] },
  ]
  const model: SourceModel = {
    tool: 'None',
    features,
    terms: [{ kind: 'trees', combine: 'sum', trees }],
    link: { kind: 'logistic', intercept: 0 },
  }
  const mapping = {
    catalog: CATALOG,
    model: { inputs: { sex: {}, cancer: {}, stayDays: {} } },
    features: { hair: { field: 'albumin' }, wrong: {} },
  }
  const lines = [
    'import.features.wrong: the file has no such feature',
    'the file has a feature agee: say in import.features.agee which field it is; did you mean age?',
    'import.features.sex: the file has no code X; it has F, M. Say in `values` what the model was given for X, or leave such values out of model.inputs.sex',
    'import.features.hair: the field albumin is not among `model.inputs`',
    'import.features.cancer: is a number in the file; say in `is` or in `values` which number stands for none, solitary, metastatic',
    'import.features.stayDays: the file has the codes 3, 4; permit no more than 1000 values in model.inputs.stayDays',
  ]
  assert.throws(
    () => convertTerms(model, mapping),
    (error) => {
      assert.ok(error instanceof DataError)
      for (const line of lines) assert.ok(error.reasons.includes(line), `${line}\n\n${error.message}`)
      return true
    },
  )
})

test('wrong entries of `values` are one fault line, without what follows from them', () => {
  const tree: TreeDefinition = [{ field: 'stage', below: 2, then: 1, else: 2, absent: 'else' }, 1, 2]
  const model: SourceModel = {
    tool: 'None',
    features: [{ name: 'stage', kind: 'number' }],
    terms: [{ kind: 'trees', combine: 'sum', trees: [tree] }],
    link: { kind: 'logistic', intercept: 0 },
  }
  const linesFor = (values: FeatureSpecification['values']): readonly string[] => {
    const features = { stage: { field: 'cancer', ...(values && { values }) } }
    try {
      convertTerms(model, { catalog: CATALOG, model: { inputs: { cancer: {} } }, features })
    } catch (error) {
      return (error as DataError).reasons
    }
    return []
  }
  const number =
    'import.features.stage: is a number in the file; say in `is` or in `values` which number stands for'
  assert.deepEqual(linesFor({ one: 1, two: 2, three: 3 }), [
    'import.features.stage.values: cancer cannot be one, two, three, or has more than 1000 values',
  ])
  assert.deepEqual(linesFor({ none: 'a', solitary: 'b', metastatic: 3 }), [`${number} a, b`])
  assert.deepEqual(linesFor(undefined), [`${number} none, solitary, metastatic`])
  assert.deepEqual(linesFor({ none: 1, solitary: 2, metastatic: 3 }), [])
})

const FIXTURE = 'packages/data/test/models/fixtures/xgboost-3.2-plain'
const importWith = (rows: string, out: string, ...more: readonly string[]): ReturnType<typeof runHere> =>
  runHere([
    'learn',
    'import',
    join(FIXTURE, 'model.json'),
    '--specification',
    join(FIXTURE, 'specification.json'),
    '--rows',
    rows,
    '--out',
    out,
    ...more,
  ])
const [head = '', ...lines] = readFileSync(join(FIXTURE, 'rows.csv'), 'utf8').trimEnd().split('\n')
const csv = (rows: readonly string[]): string => fileWith('rows.csv', `${[head, ...rows].join('\n')}\n`)
const changed = (line: string, by: number): string =>
  line.replace(/[^,]+$/, (risk) => String(Number(risk) + by))

test('rows that differ are shown with both numbers, ten at most, and nothing is written', async () => {
  const out = newFolder()
  const { code, err } = await importWith(
    csv(lines.map((line, at) => (at % 2 === 0 ? changed(line, 2e-6) : line))),
    out,
  )
  assert.equal(code, 1)
  assert.match(err, new RegExp(`^${Math.ceil(lines.length / 2)} of ${lines.length} rows differ:`, 'm'))
  assert.equal(err.match(/line \d+: the original gives 0\.\d+, we give 0\.\d+/g)?.length, 10)
  assert.equal(existsSync(join(out, 'models')), false)
})

test('rows without a required input say how absence is permitted', async () => {
  const { err } = await importWith(csv(lines.map((line) => line.replace(/^[^,]*/, ''))), newFolder())
  assert.match(err, /say in model\.inputs\.age "whenAbsent": null and `why`\n/)
})

test('a scorecard without a link is refused with what to say', async () => {
  const folder = 'packages/data/test/models/fixtures/jpmml-scorecard'
  const whole = JSON.parse(readFileSync(join(folder, 'specification.json'), 'utf8')) as object
  const specification = fileWith('specification.json', JSON.stringify({ ...whole, import: { event: 'yes' } }))
  const args = ['--specification', specification, '--rows', join(folder, 'rows.csv'), '--out', newFolder()]
  const { code, err } = await runHere(['learn', 'import', join(folder, 'model.pmml'), ...args])
  assert.equal(code, 1)
  assert.match(err, /say in import\.link how they become one/)
})

/** A file, parts of its specification that it does not need, and what is said of them. */
const UNUSED: readonly (readonly [folder: string, part: object, notes: readonly RegExp[]])[] = [
  [
    'xgboost-3.2-plain',
    { event: 'yes', baseline: 0.9, features: { age: { absent: -9 } } },
    [
      /Note: import\.event: the file does not need it\./,
      /Note: import\.baseline: the file does not need it\./,
      /Note: import\.features\.age\.absent: is not used, because age is required\./,
    ],
  ],
  ['lightgbm-4.7-plain', { horizon: 30 }, [/Note: import\.horizon: the file does not need it\./]],
  [
    'jpmml-general-logit',
    { trees: 3, link: { kind: 'identity' }, features: { sex: { order: ['F', 'M'] } } },
    [
      /Note: import\.trees: the file does not need it\./,
      /Note: import\.link: the file does not need it\./,
      /Note: import\.features, `order`: the file does not need it\./,
    ],
  ],
  ['coefficients-logit', { trees: 3 }, [/Note: import\.trees: a table of coefficients does not need it\./]],
]
for (const [name, part, notes] of UNUSED) {
  test(`${name}: ${JSON.stringify(part)} in the specification is used for nothing, and said`, async () => {
    const folder = join('packages/data/test/models/fixtures', name)
    const whole = JSON.parse(readFileSync(join(folder, 'specification.json'), 'utf8')) as { import?: object }
    const text = JSON.stringify({ ...whole, import: { ...whole.import, ...part } })
    const file = readdirSync(folder).find((each) => each.startsWith('model.')) ?? ''
    const args = ['--specification', fileWith('s.json', text), '--rows', join(folder, 'rows.csv')]
    const { code, out, err } = await runHere([
      'learn',
      'import',
      join(folder, file),
      ...args,
      '--out',
      newFolder(),
    ])
    assert.equal(code, 0, err)
    for (const note of notes) assert.match(out, note)
  })
}

test('entries of a feature that contradict each other are refused', async () => {
  for (const [feature, reason] of [
    [{ field: 'age', is: [20], values: { 20: 1 } }, /import\.features\.age: has `is` and `values`/],
    [{ field: 'age', otherwise: 0 }, /import\.features\.age\.otherwise: goes with `is` alone/],
  ] as const) {
    const whole = JSON.parse(readFileSync(join(FIXTURE, 'specification.json'), 'utf8')) as object
    const text = JSON.stringify({ ...whole, import: { features: { age: feature } } })
    const { err } = await importWith(csv(lines), newFolder(), '--specification', fileWith('s.json', text))
    assert.match(err, reason)
  }
})

test('a folder is not a model file', async () => {
  const args = [
    '--specification',
    join(FIXTURE, 'specification.json'),
    '--rows',
    'r.csv',
    '--out',
    newFolder(),
  ]
  const { code, err } = await runHere(['learn', 'import', FIXTURE, ...args])
  assert.equal(code, 1)
  assert.match(err, /there is no such file/)
})

test('a difference within 1e-6 agrees, unless four decimals differ far from an edge of rounding', async () => {
  const { code, out } = await importWith(csv(lines.map((line) => changed(line, 5e-7))), newFolder())
  assert.equal(code, 0, out)
  assert.match(out, /the largest difference is [56]\.\de-7/)
})

test('fewer than five rows are refused', async () => {
  const { code, err } = await importWith(csv(lines.slice(0, 4)), newFolder())
  assert.equal(code, 1)
  assert.match(err, /has 4 rows; 5 or more are needed/)
})

test('no row is kept, and features on which the rows say nothing are named', async () => {
  const out = newFolder()
  const constant = lines.filter((line) => line.split(',')[3] === '0.0')
  assert.ok(constant.length >= 5)
  const { code, err, out: printed } = await importWith(csv(constant), out)
  assert.equal(code, 0)
  assert.match(err, /Warning: the rows say nothing about edVisits6Months/)
  assert.match(printed, /They take \d+ of \d+ splits on both sides/)
  const folder = join(out, 'models/imported@1.0.0')
  const definition = JSON.parse(readFileSync(join(folder, 'imported.json'), 'utf8')) as ModelDefinition
  assert.equal(definition.profile, undefined)
  const cases = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as readonly {
    readonly record: Readonly<Record<string, unknown>>
  }[]
  const names = head.split(',').slice(0, -1)
  const records = new Set(cases.map(({ record }) => names.map((name) => Number(record[name])).join()))
  for (const line of constant)
    assert.equal(records.has(line.split(',').slice(0, -1).map(Number).join()), false)
  assert.deepEqual(readdirSync(folder).sort(), [
    'README.md',
    'cases.json',
    'imported.json',
    'specification.json',
  ])
})

/** The specification of the fixture, whose rows are made to prove the import, with another word for the rows. */
function specificationWith(rows: unknown): string {
  const whole = JSON.parse(readFileSync(join(FIXTURE, 'specification.json'), 'utf8')) as { import?: object }
  return fileWith('s.json', JSON.stringify({ ...whole, import: { ...whole.import, rows } }))
}

const modelIn = (out: string): ModelDefinition =>
  JSON.parse(readFileSync(join(out, 'models/imported@1.0.0/imported.json'), 'utf8')) as ModelDefinition

/** What the specification calls the rows · how many of them · what the profile says it is of, or why there is none. */
const many = [...lines, ...lines, ...lines]
const PROFILES = [
  [
    undefined,
    many.length,
    undefined,
    /The specification does not call the rows training data or local patients/,
  ],
  [
    'proof',
    many.length,
    undefined,
    /The specification does not call the rows training data or local patients/,
  ],
  ['training', 199, undefined, /Fewer than 200 rows: the model carries no profile/],
  ['training', 200, 'Training data of imported@1.0.0', undefined],
  ['local', 201, 'Local patients, given at the import of imported@1.0.0', undefined],
] as const
for (const [called, count, data, why] of PROFILES) {
  test(`${count} rows called ${called} give ${data === undefined ? 'no profile' : 'a profile'}`, async () => {
    const out = newFolder()
    const args = called === undefined ? [] : ['--specification', specificationWith(called)]
    const { code, err, out: printed } = await importWith(csv(many.slice(0, count)), out, ...args)
    assert.equal(code, 0, err)
    const { profile } = modelIn(out)
    assert.equal(profile?.data, data)
    assert.equal(profile?.rows, data === undefined ? undefined : count)
    if (why === undefined) assert.doesNotMatch(printed, /no profile/)
    else assert.match(printed, why)
  })
}

test('another word for the rows is refused', async () => {
  const { code, err } = await importWith(csv(lines), newFolder(), '--specification', specificationWith('all'))
  assert.equal(code, 1)
  assert.match(err, /\/import\/rows/)
})

/** Every combination of three ages, two sexes and 40 lengths of stay, with the risks of coefficients. */
const GRID = [30, 60, 90].flatMap((age) =>
  ['F', 'M'].flatMap((sex) =>
    Array.from(
      { length: 40 },
      (_each, stay) =>
        [age, sex, stay, 1 / (1 + Math.exp(3 - age / 50 - (sex === 'M' ? 0.4 : 0) - 0.01 * stay))] as const,
    ),
  ),
)
const GRIDS = [
  ['a grid', GRID, 'training', true],
  ['a grid', GRID, 'proof', false],
  ['a grid without one row', GRID.slice(1), 'training', false],
] as const
for (const [name, rows, called, isRefused] of GRIDS) {
  test(`${name}, called ${called}, is ${isRefused ? 'refused' : 'taken'}`, async () => {
    const { data, model } = SPECIFICATION
    const specification = {
      data: { outcome: data.outcome },
      import: { rows: called },
      model: {
        ...model,
        inputs: { age: {}, sex: { values: ['F', 'M'] }, stayDays: {} },
        terms: [
          { kind: 'linear', field: 'age' },
          { kind: 'category', field: 'sex', reference: 'F' },
          { kind: 'linear', field: 'stayDays' },
        ],
      },
    }
    const table = fileWith('t.csv', 'term,estimate\n(Intercept),-3\nage,0.02\nsexM,0.4\nstayDays,0.01\n')
    const text = `age,sex,stayDays,risk\n${rows.map((row) => row.join()).join('\n')}\n`
    const out = newFolder()
    const { code, err } = await runHere([
      ...['learn', 'import', table, '--specification', fileWith('s.json', JSON.stringify(specification))],
      ...['--rows', fileWith('r.csv', text), '--out', out],
    ])
    assert.equal(code, isRefused ? 1 : 0, err)
    assert.equal(existsSync(join(out, 'models')), !isRefused)
    if (isRefused)
      assert.match(err, /every combination of some values, each equally often: a grid proves the import, but/)
  })
}

const COMBINATIONS = [
  ['all', GRID, true],
  ['all, each row twice', [...GRID, ...GRID], true],
  ['all without one row', GRID.slice(1), false],
  ['all with one row twice', [...GRID, ...GRID.slice(0, 1)], false],
] as const
for (const [name, rows, expected] of COMBINATIONS) {
  test(`combinations are ${expected ? 'a grid' : 'no grid'}: ${name}`, () => {
    const counter = new CombinationCounter(3)
    for (const [age, sex, stay] of rows) counter.add([age, sex === 'M' ? 1 : 0, stay])
    assert.equal(counter.isGrid, expected)
  })
}

test('a grid needs two inputs that vary; missing values are values of their own', () => {
  const isGrid = (rows: readonly (readonly number[])[]): boolean => {
    const counter = new CombinationCounter(rows[0]?.length ?? 0)
    for (const row of rows) counter.add(row)
    return counter.isGrid
  }
  assert.equal(
    isGrid([
      [1, 5],
      [2, 5],
      [3, 5],
    ]),
    false,
  )
  assert.equal(
    isGrid([
      [1, 5],
      [1, 6],
      [2, 5],
      [2, 6],
    ]),
    true,
  )
  assert.equal(
    isGrid([
      [1, 5],
      [1, Number.NaN],
      [2, 5],
      [2, Number.NaN],
    ]),
    true,
  )
  assert.equal(
    isGrid([
      [1, 5],
      [1, 6],
      [2, 5],
    ]),
    false,
  )
  assert.equal(isGrid([]), false)
})

/** Splits taken on both sides, of all · whether a warning says so. */
const SPLITS = [
  [316, 740, true],
  [79, 100, true],
  [80, 100, false],
  [81, 100, false],
  [0, 0, false],
] as const
for (const [taken, all, isWarned] of SPLITS) {
  test(`${taken} of ${all} splits that are tested are ${isWarned ? '' : 'not '}warned of`, () => {
    const warning = splitWarning({ splits: all, bothSides: taken })
    if (isWarned)
      assert.match(warning ?? '', new RegExp(`only ${taken} of ${all} splits .* the other ${all - taken}`))
    else assert.equal(warning, undefined)
  })
}

test('rows that leave most splits untested give a warning', async () => {
  const { code, err } = await importWith(csv(lines.slice(0, 6)), newFolder())
  assert.equal(code, 0)
  assert.match(
    err,
    /Warning: the rows take only \d+ of \d+ splits on both sides; nothing proves the other \d+/,
  )
})

test('a profile of an import is that of its rows, and drift works on it', async () => {
  const out = newFolder()
  // Digits that 32 bits do not have: the risk is the same, and the value is that of one patient.
  const exact = lines.map((line) => line.replace(/(\.\d+)(,[^,]*,[^,]*)$/, '$100000001$2'))
  const called = ['--specification', specificationWith('local')]
  const { code } = await importWith(csv([...exact, ...exact, ...exact]), out, ...called)
  assert.equal(code, 0)
  const model = readFileSync(join(out, 'models/imported@1.0.0/imported.json'), 'utf8')
  const { profile } = JSON.parse(model) as ModelDefinition
  assert.doesNotMatch(JSON.stringify(profile?.inputs['albumin']), /00000/)
  const config = fileWith(
    'config.json',
    JSON.stringify({
      clinical: [out],
      deployments: [{ name: 'a', basePath: '/', model: 'imported', output: 'number' }],
    }),
  )
  const drift = await runHere(['learn', 'drift', '--model', 'imported', '--data', csv(lines), '--json'], {
    CONFIG: config,
  })
  assert.equal(drift.code, 0, drift.err)
  const { risk } = JSON.parse(drift.out) as { readonly risk: number }
  assert.ok(Math.abs(risk) < 0.01)
})

test('rows without the raw columns that the specification names are refused with a remedy', async () => {
  const specification = JSON.parse(readFileSync(join(FIXTURE, 'specification.json'), 'utf8')) as {
    data: object
  }
  specification.data = { ...specification.data, columns: { age: { column: 'age_in_years' } } }
  const { code, err } = await importWith(
    csv(lines),
    newFolder(),
    '--specification',
    fileWith('s.json', JSON.stringify(specification)),
  )
  assert.equal(code, 1)
  assert.match(err, /there is no column age_in_years/)
  assert.match(err, /import with a specification without `columns`/)
})

test('a template is refused with the places that are open, and imports once they are filled in', async () => {
  const printed = await runHere(['learn', 'template', join(FIXTURE, 'model.json')])
  const template = fileWith('template.json', printed.out)
  const refused = await importWith(csv(lines), newFolder(), '--specification', template)
  assert.equal(refused.code, 1)
  for (const place of ['/model/card/summary', '/model/card/horizonDays', '/model/licence/status'])
    assert.ok(refused.err.includes(`${template} at ${place}: TODO`), refused.err)
  writeFileSync(template, printed.out.replace(/"TODO: days[^"]*"/, '30').replaceAll('TODO: ', ''))
  assert.equal((await importWith(csv(lines), newFolder(), '--specification', template)).code, 0)
})

const USAGE = {
  'no file': ['learn', 'import'],
  'two files': ['learn', 'import', 'a', 'b'],
  'a file and a table': ['learn', 'import', 'a', '--coefficients', 'b'],
  'a scaled model file': ['learn', 'import', join(FIXTURE, 'model.json'), '--scaled'],
  'another format': ['learn', 'import', join(FIXTURE, 'model.json'), '--from', 'onnx'],
}
for (const [name, args] of Object.entries(USAGE)) {
  test(`wrong usage of import: ${name}`, async () => {
    const more = [
      '--specification',
      join(FIXTURE, 'specification.json'),
      '--rows',
      'r.csv',
      '--out',
      newFolder(),
    ]
    assert.equal((await runHere([...args, ...more])).code, 2)
  })
}
