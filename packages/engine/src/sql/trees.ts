/** Decision trees as nested CASEs, added up in the order of the engine. */
import type { TreeDefinition, TreesDefinition } from '../definition/term.ts'
import { edgeOf, fieldsOfTrees, isSplit, membersOf } from '../definition/trees.ts'
import { type Sql, join, or, sql, when } from './expression.ts'
import type { Query } from './query.ts'
import type { Input } from './slot.ts'

/** More splits make a query that databases take minutes to plan. */
export const MOST_SPLITS = 40_000
/** So many trees are added up in one column: databases limit how deep an expression is nested. */
const TREES_A_COLUMN = 25

/** The points of all trees. A row without a required input is blocked, so it does not matter which way its NULL goes. */
export function treePoints(
  query: Query,
  term: TreesDefinition,
  place: number,
  inputs: ReadonlyMap<string, Input>,
): Sql {
  const inputOf = (field: string): Input => inputs.get(field) as Input
  const fields = fieldsOfTrees(term)
  if (query.dialect.trees !== undefined && fields.length > 0) {
    const values = fields.map((field) => {
      const { value, takesAbsence } = inputOf(field)
      return takesAbsence ? sql`coalesce(${value}, CAST('NaN' AS ${query.dialect.doubleType}))` : value
    })
    return query.dialect.trees(place, values)
  }
  let sum = sql`${query.double(0)}`
  for (let at = 0; at < term.trees.length; at += TREES_A_COLUMN) {
    const trees = term.trees.slice(at, at + TREES_A_COLUMN)
    const points = trees.map((tree) => sql`(${branch(query, term, tree, 0, inputOf)})`)
    sum = query.define('f', join([sum, ...points], ' + '))
  }
  return term.combine === 'mean' ? sql`${sum} / ${query.double(term.trees.length)}` : sum
}

export function splitCount({ trees }: TreesDefinition): number {
  return trees.reduce((sum, tree) => sum + tree.filter(isSplit).length, 0)
}

function branch(
  query: Query,
  term: TreesDefinition,
  tree: TreeDefinition,
  place: number,
  inputOf: (field: string) => Input,
): Sql {
  const node = tree[place] as TreeDefinition[number]
  if (!isSplit(node)) return sql`${query.double(node)}`
  const { value } = inputOf(node.field)
  const members = membersOf(node, query.field(node.field).domain)
  const holds =
    node.oneOf === undefined
      ? sql`${value} < ${query.double(edgeOf(node, term.rounding))}`
      : or(...members.map((member) => sql`${value} = ${query.double(member)}`))
  const isThen = node.absent === 'then' ? or(holds, sql`${value} IS NULL`) : holds
  const [then, otherwise] = [node.then, node.else].map((to) => branch(query, term, tree, to, inputOf))
  return when(isThen, then as Sql, otherwise)
}
