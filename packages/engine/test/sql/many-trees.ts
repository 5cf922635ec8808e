/** Models of many trees of depth 6. */
import type { ModelDefinition } from '../../src/definition/model.ts'
import { Random } from '../../../../test/support/random.ts'
import { treeModel } from '../../../../test/support/tree-models.ts'
import { loadForFuzz } from '../fuzz/deployments.ts'

export const trees = (count: number): ModelDefinition =>
  treeModel(loadForFuzz(), new Random(1), ['trees-many', { count, depth: 6, rounding: 'both' }])
