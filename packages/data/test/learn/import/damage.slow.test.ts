/**
 * Damaged model files: each is refused with a reason, or gives the risks of the file as it was. A file that says something else, such as
 * another number in a leaf, is another model: it may give other risks, and the rows of an import show it.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkModel, fieldsOf, FaultList, type ModelDefinition } from 'patient-risk-engine/definition'
import { DataError } from '../../../src/tables/data-error.ts'
import { modelRunFor } from '../../../src/learn/data/gather.ts'
import { readSpecification } from '../../../src/learn/data/specification.ts'
import { readCoefficients } from '../../../src/learn/import/coefficients.ts'
import { readLightgbm } from '../../../src/learn/import/lightgbm.ts'
import { readPmml } from '../../../src/learn/import/pmml/read-pmml.ts'
import { type ModelReader, NotSupported } from '../../../src/learn/import/source.ts'
import { convertTerms } from '../../../src/learn/import/convert-terms.ts'
import { readXgboost } from '../../../src/learn/import/xgboost.ts'
import { modelWith } from '../../../src/learn/model/draft.ts'
import { readOptions } from '../../../src/learn/tasks/import-model.ts'
import { type Damaged, damagedJson, damagedLines, damagedTable, damagedXml } from './damaged-files.ts'
import { CATALOG, fileWith } from '../../../../../test/support/learning.ts'

interface Format {
  readonly file: string
  readonly damage: (text: string) => Iterable<Damaged>
  /** Undefined for a table, which is read from its file. */
  readonly read?: ModelReader
  /** What makes another model of the file. */
  readonly another: RegExp
  readonly fixtures: readonly string[]
}

const FORMATS: Readonly<Record<string, Format>> = {
  XGBoost: {
    file: 'model.json',
    damage: damagedJson,
    read: readXgboost,
    another: /(split_conditions|weight_drop)\.\d+ is (-1|0\.5|9999999999)$/,
    fixtures: [
      'xgboost-3.2-categories-with-gaps',
      'xgboost-1.7-categories-sets-of-codes',
      'xgboost-1.7-cox',
      'xgboost-3.2-dart',
    ],
  },
  LightGBM: {
    file: 'model.txt',
    damage: damagedLines,
    read: readLightgbm,
    another:
      /^(threshold\[\d+\] is (-1|inf|0\.5|9999999999)|leaf_value\[\d+\] is (-1|0\.5|9999999999)|average_output is left out)$/,
    fixtures: [
      'lightgbm-4.7-categories-with-gaps',
      'lightgbm-2.1-gaps',
      'lightgbm-2.3-gaps',
      'lightgbm-4.7-sigmoid',
      'lightgbm-4.7-forest',
    ],
  },
  PMML: {
    file: 'model.pmml',
    damage: damagedXml,
    read: readPmml,
    another: /(value|binValue|score|defaultValue)="[^"]*" is | is (-1|0\.5|9999999999|left out)$/i,
    fixtures: [
      'jpmml-derived-fields',
      'jpmml-cox-strata',
      'jpmml-chain',
      'jpmml-scorecard',
      'jpmml-general-multinomial',
      'jpmml-softmax',
      'jpmml-treated-values',
      'jpmml-tree-default-child',
      'jpmml-tree-last-prediction',
    ],
  },
  coefficients: {
    file: 'model.csv',
    damage: damagedTable,
    // A table has no end mark: the last number may lose digits. An empty mean or scale is 0 or 1.
    another: /^(row [1-9]\d*, [-\d.]+ is (-1|0\.5|9999999999)?|cut off after .*)$/,
    fixtures: ['coefficients-cox', 'coefficients-logit'],
  },
}

const SAME_RISK = 1e-9
const MOST_ROWS = 40

/** The risks of the first rows by the model that a text becomes. */
function risksBy(folder: string, { read }: Format): (text: string) => Promise<readonly number[]> {
  const { model, import: part = {} } = readSpecification(join(folder, 'specification.json'))
  assert.ok(model)
  const [head = '', ...lines] = readFileSync(join(folder, 'rows.csv'), 'utf8').trimEnd().split('\n')
  const names = head.split(',')
  const rows = lines.slice(0, MOST_ROWS).map((line) => {
    const cells = line.split(',').map((cell, at) => [names[at] ?? '', cell] as const)
    const given = cells.filter(([name, cell]) => name !== 'risk' && cell !== '')
    return Object.fromEntries(
      given.map(([name, cell]) => [name, Number.isNaN(Number(cell)) ? cell : Number(cell)]),
    )
  })
  const isScaled = existsSync(join(folder, 'options.json'))
  const mayBeAbsent = (name: string): boolean =>
    model.inputs[part.features?.[name]?.field ?? name]?.whenAbsent === null
  const made = async (text: string): Promise<Pick<ModelDefinition, 'terms' | 'link'>> => {
    if (read === undefined) {
      const table = { path: fileWith('model.csv', text), isScaled, baseline: part.baseline }
      return readCoefficients(table, model, CATALOG)
    }
    const { link, ...source } = read(text, { ...readOptions(part), mayBeAbsent })
    const { terms } = convertTerms(
      { link, ...source },
      { catalog: CATALOG, model, features: part.features ?? {} },
    )
    return { terms: [...terms], link }
  }
  return async (text) => {
    const { terms, link } = await made(text)
    const used = new Set(terms.flatMap(fieldsOf))
    const inputs = Object.fromEntries(Object.entries(model.inputs).filter(([name]) => used.has(name)))
    const words = { development: 'None.', calibration: 'None.', cost: 'None.' }
    const definition = { ...modelWith({ ...model, inputs }, terms, 0, words), link }
    const faults = new FaultList('imported')
    checkModel(definition, CATALOG, faults)
    if (faults.faults.length > 0) throw new DataError(faults.faults.map(({ message }) => message))
    const { assess, compiled } = modelRunFor({ catalog: CATALOG, today: 20260101 }, definition)
    return rows.map((row) => {
      const { score, blocked } = assess(row)
      return blocked ? Number.NaN : compiled.probability(score)
    })
  }
}

for (const [tool, format] of Object.entries(FORMATS)) {
  for (const fixture of format.fixtures) {
    test(`${tool}, ${fixture}: damage is refused, or changes nothing`, async (t) => {
      const folder = join('packages/data/test/models/fixtures', fixture)
      const text = readFileSync(join(folder, format.file), 'utf8')
      const risks = risksBy(folder, format)
      const intact = await risks(text)
      assert.ok(intact.every(Number.isFinite))
      const counts = { refused: 0, same: 0, another: 0 }
      for (const { what, text: damaged } of format.damage(text)) {
        try {
          const found = await risks(damaged)
          const isSame = found.every((risk, at) => Math.abs(risk - (intact[at] ?? 0)) <= SAME_RISK)
          assert.ok(isSame || format.another.test(what), `${what}: gives other risks`)
          counts[isSame ? 'same' : 'another']++
        } catch (error) {
          if (!(error instanceof NotSupported || error instanceof DataError))
            throw new Error(`${what}: ${String(error)}`, { cause: error })
          if (error instanceof NotSupported) assert.match(error.message, /^[^:]+: ./, what)
          counts.refused++
        }
      }
      t.diagnostic(JSON.stringify(counts))
      assert.ok(counts.refused > 30)
    })
  }
}
