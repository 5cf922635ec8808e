/** A row of a table as the record that the engine reads, for what only the engine can say of it. */
import type { Domain } from '../../definition/domain.ts'
import type { Column, ColumnType } from '../../sql/read-field.ts'
import { identifier, literal } from '../../tables/engine.ts'

/** A value that no field has, in place of one that JSON cannot write. */
const UNREADABLE = "'[]'"

/** The members of the record, each after a comma: fields without a value are left out. */
export function membersSql(
  columns: ReadonlyMap<string, Column>,
  domains: ReadonlyMap<string, Domain>,
): string {
  const members = [...columns].flatMap(([field, { name, type }]) => {
    const domain = domains.get(field)
    if (domain === undefined) return []
    const value = valueSql(identifier(name), type, domain)
    return [`coalesce(${literal(`,${JSON.stringify(field)}:`)} || ${value}, '')`]
  })
  return ["''", ...members].join(' || ')
}

/** A column as JSON; NULL where it holds no value. */
function valueSql(column: string, type: ColumnType, { kind }: Domain): string {
  const text = `CAST(${column} AS VARCHAR)`
  const given = (value: string): string => `CASE WHEN ${column} IS NOT NULL THEN ${value} END`
  switch (type) {
    case 'integer':
    case 'decimal':
    case 'boolean':
      return text
    case 'number': {
      const number = `CAST(${column} AS DOUBLE)`
      const infinite = `CASE WHEN ${number} > 0 THEN '1e999' ELSE '-1e999' END`
      return given(
        `CASE WHEN isfinite(${number}) THEN CAST(${number} AS VARCHAR) WHEN isinf(${number}) THEN ${infinite} ELSE ${UNREADABLE} END`,
      )
    }
    case 'date':
      return given(kind === 'date' ? `'"' || strftime(${column}, '%d-%m-%Y') || '"'` : UNREADABLE)
    case 'text':
      return `CAST(to_json(${text}) AS VARCHAR)`
    case 'cell': {
      const plain = kind === 'yesNo' ? `WHEN ${column} IN ('true', 'false') THEN ${column} ` : ''
      return `CASE WHEN ${column} = '' THEN NULL ${plain}ELSE CAST(to_json(${column}) AS VARCHAR) END`
    }
    case 'other':
      return given(UNREADABLE)
  }
}
