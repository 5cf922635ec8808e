/** A model with features that the catalogue does not have: the template drafts their fields, and the mapping is written once. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runHere } from '../../../../../test/support/run-command.ts'
import { fileWith, newFolder } from '../../../../../test/support/learning.ts'

const NAMES = ['age', 'LAB_CRP', 'smoker', 'steps', 'ward']

/** One tree for each feature: 0.5 below the edge, -0.5 from it on, 0.25 where it is absent. */
function modelFile(): string {
  const edges = [60, 12.5, 0.5, 300]
  const trees = edges.map((edge, feature) => ({
    left_children: [1, -1, -1],
    right_children: [2, -1, -1],
    split_indices: [feature, 0, 0],
    split_conditions: [edge, 0.5, -0.5],
    default_left: [1, 0, 0],
    split_type: [0, 0, 0],
  }))
  const ward = {
    left_children: [1, -1, -1],
    right_children: [2, -1, -1],
    split_indices: [4, 0, 0],
    split_conditions: [0, 0.5, -0.5],
    default_left: [1, 0, 0],
    split_type: [1, 0, 0],
    categories: [0],
    categories_nodes: [0],
    categories_segments: [0],
    categories_sizes: [1],
  }
  const text = 'eastwest'
  const none = { values: [] }
  const enc = [none, none, none, none, { offsets: [0, 4, 8], values: [...Buffer.from(text)] }]
  return JSON.stringify({
    learner: {
      feature_names: NAMES,
      feature_types: ['int', 'float', 'int', 'int', 'c'],
      learner_model_param: { base_score: '5E-1', num_feature: '5' },
      objective: { name: 'binary:logistic' },
      gradient_booster: { name: 'gbtree', model: { trees: [...trees, ward], cats: { enc } } },
    },
    version: [3, 2, 0],
  })
}

const ROWS: readonly (readonly (number | string)[])[] = [
  [20, 3.2, 0, 120, 'east'],
  [59, '', 1, 299, 'west'],
  [60, 12.5, 0, 300, 'east'],
  [61, 13.7, 1, 718, 'west'],
  [90, 88.1, 1, 5, 'east'],
  [45, '', 0, 400, 'west'],
]

function riskOf([age = 0, crp = 0, smoker = 0, steps = 0, ward = '']: readonly (number | string)[]): number {
  const points = (value: number | string, edge: number): number => (Number(value) < edge ? 0.5 : -0.5)
  const sum =
    points(age, 60) +
    (crp === '' ? 0.5 : points(crp, 12.5)) +
    points(smoker, 0.5) +
    points(steps, 300) +
    (ward === 'east' ? -0.5 : 0.5)
  return 1 / (1 + Math.exp(-sum))
}

const rowsFile = (names: readonly string[]): string =>
  fileWith(
    'rows.csv',
    `${[...names, 'risk'].join()}\n${ROWS.map((row) => [...row, riskOf(row)].join()).join('\n')}\n`,
  )

test('the template drafts fields from the file and the rows, and imports once its texts are replaced', async () => {
  const out = newFolder()
  const model = fileWith('model.json', modelFile())
  const rows = rowsFile(NAMES)
  const printed = await runHere(['learn', 'template', model, '--rows', rows, '--out', out])
  assert.equal(printed.code, 0, printed.err)
  const path = join(out, 'fields.json')
  const drafted = readFileSync(path, 'utf8')
  assert.deepEqual(JSON.parse(drafted), {
    version: 1,
    inputs: {
      labCrp: { type: 'decimal', from: 0, to: 90, meaning: 'TODO: what LAB_CRP is' },
      smoker: { type: 'yesNo', meaning: 'TODO: what smoker is' },
      steps: { type: 'integer', from: 0, to: 800, meaning: 'TODO: what steps is' },
      ward: {
        type: 'code',
        values: { east: 'TODO: what it means', west: 'TODO: what it means' },
        meaning: 'TODO: what ward is',
      },
    },
  })
  const specification = JSON.parse(printed.out) as {
    readonly model: { readonly inputs: object }
    readonly import: object
  }
  assert.deepEqual(specification.import, { features: { LAB_CRP: { field: 'labCrp' } } })
  const why = 'TODO: why a record without it is scored'
  assert.deepEqual(specification.model.inputs, {
    age: {},
    labCrp: { whenAbsent: null, why },
    smoker: {},
    steps: {},
    ward: {},
  })

  const filled = printed.out.replace(/"TODO: days[^"]*"/, '30').replaceAll('TODO: ', '')
  const args = ['--specification', fileWith('s.json', filled), '--out', out]
  const early = await runHere(['learn', 'import', model, ...args, '--rows', rows])
  assert.equal(early.code, 1)
  assert.match(early.err, /^fields\.json, labCrp: replace the texts that begin with TODO$/m)
  writeFileSync(path, drafted.replaceAll('TODO: ', ''))
  // The columns of the rows are named like the features, or like the fields.
  const byFields = rowsFile(NAMES.map((name) => (name === 'LAB_CRP' ? 'labCrp' : name)))
  for (const each of [rows, byFields]) {
    const {
      code,
      err,
      out: text,
    } = await runHere(['learn', 'import', model, ...args, '--rows', each, '--replace'])
    assert.equal(code, 0, err)
    assert.match(text, /^6 rows agree with the original/)
  }
})

test('fields that exist are never overwritten, and rows need a folder', async () => {
  const out = newFolder()
  const model = fileWith('model.json', modelFile())
  const mine = '{ "version": 1, "inputs": { "mine": { "type": "yesNo", "meaning": "Mine." } } }\n'
  writeFileSync(join(out, 'fields.json'), mine)
  const { code, err } = await runHere(['learn', 'template', model, '--out', out])
  assert.equal(code, 1)
  assert.match(err, /fields\.json exists already, and does not have all fields of the model/)
  assert.equal(readFileSync(join(out, 'fields.json'), 'utf8'), mine)
  assert.equal((await runHere(['learn', 'template', model, '--rows', rowsFile(NAMES)])).code, 2)
})

test('a column that the rows do not have is named, and nothing is written', async () => {
  const out = newFolder()
  const model = fileWith('model.json', modelFile())
  const rows = rowsFile(['age', 'other', 'smoker', 'steps', 'ward'])
  const { code, err } = await runHere(['learn', 'template', model, '--rows', rows, '--out', out])
  assert.equal(code, 1)
  assert.match(err, /LAB_CRP/)
  assert.equal(existsSync(join(out, 'fields.json')), false)
})
