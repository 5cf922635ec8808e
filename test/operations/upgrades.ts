/**
 * The upgrades that are tested with the code of older versions, from the history of this repository. `scripts/release-package.ts` refuses a
 * release without those from 0.2.0 and from the layout before the present one, on both stores.
 */
export interface Upgrade {
  readonly version: string
  /** The layout of the tables that this version makes. */
  readonly layout: number
  readonly commit: string
  readonly kind: 'SQLite' | 'PostgreSQL'
  /** How the older version is stopped. */
  readonly signal: 'SIGTERM' | 'SIGKILL'
}

const FIRST = { version: '0.1.0', layout: 1, commit: '61e63b7e9e72e1c964be21f93e096ae703dc48b9' }
const SECOND = { version: '0.2.0', layout: 2, commit: 'da14be2246aaf33645a5c2c81998da6005b63d6d' }
const THIRD = { version: '0.2.0', layout: 3, commit: '29de4f88e5bb57cd372b41f81f6c182c14bc8d8a' }
const FOURTH = { version: '0.2.0', layout: 4, commit: 'cc84fbea8faa6e5ae0fe0d940a29c2438b70bd3f' }
const FIFTH = { version: '0.2.0', layout: 5, commit: '760505e11cd171880c018bdf0a1856fd5f81d0c7' }
const SIXTH = { version: '0.2.0', layout: 6, commit: 'e18ec8433dd46542a01de6d7135b5368e3ee3cdd' }

/** All have older tables than this version. `guide.slow.test.ts` goes back to a version with the same tables. */
export const UPGRADES: readonly Upgrade[] = [
  { ...SIXTH, kind: 'SQLite', signal: 'SIGTERM' },
  { ...SIXTH, kind: 'PostgreSQL', signal: 'SIGTERM' },
  { ...FIFTH, kind: 'SQLite', signal: 'SIGTERM' },
  { ...FIFTH, kind: 'PostgreSQL', signal: 'SIGTERM' },
  { ...FOURTH, kind: 'SQLite', signal: 'SIGTERM' },
  { ...FOURTH, kind: 'PostgreSQL', signal: 'SIGTERM' },
  { ...THIRD, kind: 'PostgreSQL', signal: 'SIGTERM' },
  { ...SECOND, kind: 'SQLite', signal: 'SIGTERM' },
  { ...SECOND, kind: 'PostgreSQL', signal: 'SIGTERM' },
  { ...THIRD, kind: 'SQLite', signal: 'SIGKILL' },
  { ...FIRST, kind: 'SQLite', signal: 'SIGKILL' },
]
