/** A record of JSON as a row: its cells by their texts, and its fields with the types that they have. */
import type { Domain } from '../../definition/domain.ts'
import { jsonIn } from '../../engine/read/body.ts'
import type { FieldRule, Value } from '../../tables/field-sql.ts'
import { type CellFault, type FileRow, type Source, fieldSources } from './file-rows.ts'
import { MISSING_TEXTS } from './specification.ts'

export class JsonRow implements FileRow {
  line = 0
  given: Readonly<Record<string, unknown>> = {}
  private readonly domains: Source['domains']
  private readonly missing: ReadonlySet<string>
  /** Numbers that stand for no value: turning every number into a text would be slow. */
  private readonly missingNumbers: ReadonlySet<number>
  private readonly rules: readonly {
    readonly field: string
    readonly rule: FieldRule
    readonly read: () => unknown
  }[]

  constructor(source: Source) {
    const { data, domains } = source
    const missing = data.missing ?? MISSING_TEXTS
    this.domains = domains
    this.missing = new Set(missing)
    this.missingNumbers = new Set(missing.map(Number).filter((number) => missing.includes(String(number))))
    // A field without a rule has its own key.
    const ruled = fieldSources(source).filter(({ field }) => data.columns?.[field] !== undefined)
    this.rules = ruled.map(({ field, rule, domain }) => ({ field, rule, read: this.readerOf(rule, domain) }))
  }

  text(column: string): string | undefined {
    const value = this.valueOf(column)
    return value === null ? undefined : textOf(value)
  }

  record(): Readonly<Record<string, unknown>> {
    const record: Record<string, unknown> = {}
    for (const name in this.given) if (this.domains.has(name)) record[name] = this.present(name)
    for (const { field, read } of this.rules) record[field] = read()
    return record
  }

  faults(): readonly CellFault[] {
    const unlisted = this.rules.filter(({ read }) => read() === undefined)
    return unlisted.map(({ rule }) => ['column' in rule ? rule.column : '', 'map'])
  }

  private valueOf(column: string): unknown {
    return Object.hasOwn(this.given, column) ? this.given[column] : null
  }

  /** The value with its type; null where it stands for no value. */
  private present(column: string): unknown {
    const value = this.valueOf(column)
    const isNumber = typeof value === 'number'
    return (isNumber ? this.missingNumbers.has(value) : this.missing.has(textOf(value))) ? null : value
  }

  /** What reads a field by its rule; undefined for a text that its map does not list. */
  private readerOf(rule: FieldRule, { kind }: Domain): () => unknown {
    // A specification may write "75" for 75 and "true" for true.
    const typed = (value: Value): unknown => {
      if (value !== null && (kind === 'code' || kind === 'date')) return String(value)
      return typeof value === 'string' ? (jsonIn(value) ?? value) : value
    }
    if ('constant' in rule) {
      const value = typed(rule.constant)
      return () => value
    }
    if ('columns' in rule) {
      const { columns, startsWith, equals = [] } = rule
      const [yes, no] = [typed(rule.yes), typed(rule.no)]
      const isMeant = (text = ''): boolean =>
        equals.includes(text) || startsWith.some((start) => text.startsWith(start))
      return () => (columns.some((column) => isMeant(this.text(column))) ? yes : no)
    }
    const { column, map: given } = rule
    if (given === undefined) return () => this.present(column)
    const map = new Map(Object.entries(given).map(([text, value]) => [text, typed(value)]))
    return () => {
      const text = this.text(column)
      if (text !== undefined && map.has(text)) return map.get(text)
      return text === undefined || this.missing.has(text) ? null : undefined
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
