/** The cells of a record of JSON, as a specification reads them: by their text, or as values that keep their type. */
import type { Domain } from '../../definition/domain.ts'
import { jsonIn } from '../../engine/read/body.ts'
import type { FieldRule, Value } from '../../tables/field-sql.ts'
import { type DataSpecificationType, MISSING_TEXTS } from './specification.ts'

/** A text that the map of a field does not list. */
export const UNLISTED = Symbol('unlisted')

export class JsonCells {
  /** The present record. */
  record: Readonly<Record<string, unknown>> = {}
  private readonly missing: ReadonlySet<string>
  /** Numbers that stand for no value: turning every number into a text would be slow. */
  private readonly missingNumbers: ReadonlySet<number>

  constructor({ missing = [...MISSING_TEXTS] }: DataSpecificationType) {
    this.missing = new Set(missing)
    this.missingNumbers = new Set(missing.map(Number).filter((number) => missing.includes(String(number))))
  }

  /** The value as it is; null where there is none. */
  value(column: string): unknown {
    const value = this.given(column)
    const isMissing =
      typeof value === 'number' ? this.missingNumbers.has(value) : this.missing.has(textOf(value))
    return isMissing ? null : value
  }

  /** The text of a value, also of one that stands for no value; undefined for null. */
  text(column: string): string | undefined {
    const value = this.given(column)
    return value === null ? undefined : textOf(value)
  }

  /** Undefined for a value that stands for no value, too. */
  statedText(column: string): string | undefined {
    const text = this.text(column)
    return text === undefined || this.missing.has(text) ? undefined : text
  }

  /** What reads a field by its rule. */
  readerOf(rule: FieldRule, { kind }: Domain): () => unknown {
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
    if (given === undefined) return () => this.value(column)
    const map = new Map(Object.entries(given).map(([text, value]) => [text, typed(value)]))
    return () => {
      const text = this.text(column)
      if (text !== undefined && map.has(text)) return map.get(text)
      return text === undefined || this.missing.has(text) ? null : UNLISTED
    }
  }

  private given(column: string): unknown {
    return Object.hasOwn(this.record, column) ? this.record[column] : null
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
