/** Decision trees as nested CASEs, added up in the order of the engine. */
import type { Feature, Forest } from '../expression/forest.ts'
import { NotInSql } from './not-in-sql.ts'
import { type Sql, join, or, sql, when } from './fragment.ts'
import type { Query } from './query.ts'

/** More splits make a query that databases take minutes to plan. */
const MOST_SPLITS = 40_000
/** So many trees are added up in one column: databases limit how deep an expression is nested. */
const TREES_A_COLUMN = 25

/** The points of all trees. A row without a required input is blocked, so it does not matter which way its NULL goes. */
export function printForest(query: Query, forest: Forest, valueOf: (slot: number) => Sql): Sql {
  const { dialect, double } = query
  const { roots, branches, parts, named } = forest
  if (dialect.trees !== undefined && named.length > 0) {
    const values = named.map((slot) => sql`coalesce(${valueOf(slot)}, CAST('NaN' AS ${dialect.doubleType}))`)
    return dialect.trees(forest.place, values)
  }
  const splits = branches.reduce((count, first) => count + Number(first !== 0), 0)
  if (splits > MOST_SPLITS && dialect.trees === undefined)
    throw new NotInSql(
      `The ${roots.length} trees of the model have ${splits} splits, and a query has room for ${MOST_SPLITS}. Score the rows with patient-risk score instead.`,
    )
  let sum = sql`${double(0)}`
  for (let at = 0; at < roots.length; at += TREES_A_COLUMN) {
    const points = [...roots.subarray(at, at + TREES_A_COLUMN)].map(
      (root) => sql`(${printNode(query, forest, root, valueOf)})`,
    )
    sum = query.define('f', join([sum, ...points], ' + '))
  }
  return parts === 1 ? sum : sql`(${sum} / ${double(parts)})`
}

function printNode(query: Query, forest: Forest, node: number, valueOf: (slot: number) => Sql): Sql {
  const first = forest.branches[node] as number
  const edge = forest.edges[node] as number
  if (first === 0) return sql`${query.double(edge)}`
  const feature = forest.features[forest.compared[node] as number] as Feature
  const isFirst = isBelow(query, feature, valueOf(feature.slot), edge)
  const then = printNode(query, forest, first, valueOf)
  const otherwise = printNode(query, forest, first + 1, valueOf)
  return when(isFirst, then, otherwise)
}

/** Whether a feature is below an edge. Of an absent value it is not, or of a set what the set says of it. */
function isBelow({ double }: Query, { sign, members, whenAbsent }: Feature, value: Sql, edge: number): Sql {
  if (sign === 1) return sql`${value} < ${double(edge)}`
  if (sign === -1) return sql`${value} > ${double(-edge)}`
  const numbers = [...members.keys()].filter((number) => members[number] === 1)
  const isMember = or(...numbers.map((number) => sql`${value} = ${double(number)}`))
  return whenAbsent === 0 ? or(isMember, sql`${value} IS NULL`) : isMember
}
