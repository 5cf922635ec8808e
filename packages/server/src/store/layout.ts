/**
 * The layout of a store: one number for the tables of SQLite and of PostgreSQL, by which a version knows whether it can use a store. A
 * store keeps the number of migration steps that made it. Up to layout 4 the two kinds of store counted in their own way; from layout 5
 * on, each layout is one step in both, so that a version can also name a layout that it does not know.
 */
export type StoreKind = 'sqlite' | 'postgresql'

export interface Layout {
  readonly number: number
  readonly madeBy: string
  /** Steps of `sqlite/migrations.ts` that make it. */
  readonly sqlite: number
  /** Steps of `postgres/migrations.ts` that make it. */
  readonly postgresql: number
}

/** A released line never changes. `docs/storage.md` has this list for people. */
export const LAYOUTS: readonly Layout[] = [
  { number: 1, madeBy: '0.1.0', sqlite: 3, postgresql: 1 },
  { number: 2, madeBy: '0.2.0, first tables', sqlite: 5, postgresql: 3 },
  { number: 3, madeBy: '0.2.0, with counters of use', sqlite: 9, postgresql: 6 },
  { number: 4, madeBy: '0.2.0, with alarms and outcomes', sqlite: 11, postgresql: 8 },
  { number: 5, madeBy: '0.3.0, first tables', sqlite: 12, postgresql: 9 },
  { number: 6, madeBy: '0.3.0, with jobs', sqlite: 13, postgresql: 10 },
  { number: 7, madeBy: '0.3.0', sqlite: 14, postgresql: 11 },
]

const LATEST = LAYOUTS.at(-1) as Layout

/** The layout that this version makes and uses. */
export const LAYOUT = LATEST.number

/** The layout of a store with so many steps; 0 for one without tables. Between two layouts it is the lower one. */
export function layoutOf(kind: StoreKind, steps: number): number {
  if (steps > LATEST[kind]) return LATEST.number + steps - LATEST[kind]
  return LAYOUTS.findLast((layout) => layout[kind] <= steps)?.number ?? 0
}

/** Why a version does not start on a store with a newer layout, and what to do. */
export function newerLayoutText(layout: number): string {
  return (
    `it was written by a newer version: it has layout ${layout}, and this version uses layout ${LAYOUT}. ` +
    'Start the newer version again, or restore a backup from before its upgrade ("Way back" in docs/operations.md)'
  )
}
