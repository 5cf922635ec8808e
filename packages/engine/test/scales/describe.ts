/** Describes the scales of a record as a deployment does. */
import assert from 'node:assert/strict'
import { makeDeployments } from '@patient-risk/catalog'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { Assessor } from '../../src/answer/assess.ts'
import { type ScaleState, compileScaleStates } from '../../src/explain/scale-states.ts'
import { makePlan } from '../../src/plan/plan.ts'
import { compileModel } from '../../src/score/model.ts'
import { testCatalog } from '../../../../test/support/serve.ts'

const TODAY = 20260101
export const catalog = testCatalog()

export type Describe = (record: object) => readonly ScaleState[]

/** readmission30 uses no scale, so every total is computed for the description alone. */
export function describer(settings: Partial<DeploymentSettings> = {}): Describe {
  const entry = {
    name: 'ward',
    basePath: '/',
    model: 'readmission30',
    output: 'number',
    ...settings,
  } as const
  const { deployments, faults } = makeDeployments(catalog, [entry])
  assert.deepEqual(faults, [])
  const [deployment] = deployments
  assert.ok(deployment)
  const { definition } = deployment.model
  const { conversions, bands } = deployment.scorerOptions
  const plan = makePlan(catalog.definitions, definition, conversions)
  const assessor = new Assessor(plan, compileModel(definition, plan))
  const describe = compileScaleStates(plan, catalog.definitions, bands)
  return (record) => {
    assessor.assess({ idx: 1, ...record }, 0, { today: TODAY, reportUnknown: true, maxKeys: 999 })
    return describe(assessor.slots)
  }
}
