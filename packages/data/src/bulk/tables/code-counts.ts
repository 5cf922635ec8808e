/** Columns of codes, and of yes and no: how many cells hold a value, and how many of these the deployment does not take. */
import { type FieldPlan, codedValues, makePlan } from 'patient-risk-engine'
import { isOneOf } from '../../tables/cell-sql.ts'
import { type TableEngine, identifier } from '../../tables/engine.ts'
import type { ReadingSetting } from './other-readings.ts'
import type { TableSource } from './table-source.ts'

export interface CodeCounts {
  readonly field: string
  readonly given: number
  readonly refused: number
}

export async function countCodes(
  { catalog, deployment }: ReadingSetting,
  engine: TableEngine,
  { source, columns }: Pick<TableSource, 'source' | 'columns'>,
): Promise<readonly CodeCounts[]> {
  const { conversions, codes } = deployment.scorerOptions
  const plan = makePlan(catalog.definitions, deployment.model.definition, conversions, codes)
  const asked = [...columns].flatMap(([field, { name }]) => {
    const permitted = permittedTexts(plan.fields[plan.slotByName.get(field) ?? -1])
    return permitted === undefined ? [] : [{ field, name, permitted }]
  })
  if (asked.length === 0) return []
  const counts = asked.flatMap(({ name, permitted }, place) => {
    const text = `coalesce(CAST(${identifier(name)} AS VARCHAR), '')`
    return [
      `count(*) FILTER (WHERE ${text} <> '') AS given${place}`,
      `count(*) FILTER (WHERE ${text} <> '' AND NOT ${isOneOf(text, permitted)}) AS refused${place}`,
    ]
  })
  const [row = {}] = await engine.rows(`SELECT ${counts.join(', ')} FROM ${source}`)
  return asked.map(({ field }, place) => {
    return { field, given: Number(row[`given${place}`]), refused: Number(row[`refused${place}`]) }
  })
}

/** The texts of a cell that a field takes; undefined for a field that has no codes. */
function permittedTexts(field: FieldPlan | undefined): readonly string[] | undefined {
  const values = field && codedValues(field.domain)
  if (field === undefined || values === undefined) return undefined
  const { received } = field
  if (received === undefined) return [...values.keys()].map(String)
  const named = [...received.named].filter(([, meaning]) => meaning !== undefined).map(([code]) => code)
  return [...named, ...[...received.plain.keys()].map(String)]
}
