/** What differs between database engines. Everything else is printed once, for all of them. */
import type { Sql } from './stages.ts'

export interface Dialect {
  readonly name: string
  /** A column or table name, quoted so that its case is kept. */
  readonly identifier: (name: string) => string
  readonly string: (text: string) => string
  /** A literal of type double that is exactly this number. */
  readonly double: (value: number) => string
  /** The name of the type for texts. */
  readonly textType: string
  readonly doubleType: string
  /** What stands around a step so that the engine neither stores it nor copies its expressions into later steps. */
  readonly stepOpen: string
  readonly stepClose: string
  /**
   * How rows with the same idx are found: by IN, which keeps the order of the rows where the engine has one, or by a join,
   * which is quick where IN is not.
   */
  readonly repeats: 'in' | 'join'
  /** Whether a text consists of a pattern from its first to its last character. The pattern uses no backslash. */
  readonly matches: (text: Sql, pattern: string) => Sql
  /**
   * The number that a text writes as JSON does, or NULL. No text is converted before the pattern has accepted it, and no
   * accepted text may end the query: 1e400 is infinite and 1e-400 is 0, as in the service.
   */
  readonly numberOf: (text: Sql, pattern: string) => Sql
  /** A cheaper test that accepts plain integers only: the integer, or NULL. Undefined where the pattern is as cheap. */
  readonly plainInteger: ((text: Sql) => Sql) | undefined
  /** A double column without NaN, which stands for a value that is not a number. */
  readonly withoutNaN: (value: Sql) => Sql
  readonly isWhole: (value: Sql) => Sql
  /** The element at a position from 1, or NULL outside of the list. The position is an integer or NULL. */
  readonly elementAt: (list: string, position: Sql) => Sql
  readonly doubles: (values: readonly number[]) => string
  readonly integers: (values: readonly number[]) => string
  /** How many of the ascending numbers a value is not below, where the engine has a binary search; else undefined. */
  readonly countNotAbove: ((value: Sql, ascending: string) => Sql) | undefined
  /** A text with a question mark in the place of every control character, which JSON does not allow. */
  readonly withoutControls: (text: Sql) => Sql
  /** A calendar day as DD-MM-YYYY. */
  readonly dateText: (date: Sql) => Sql
  /** A day given as YYYYMMDD, or the current one. */
  readonly today: (day: number | undefined) => string
}
