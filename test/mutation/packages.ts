/** What `npm run mutation:packages` mutates, the tests that judge it, and the share of mutants that they must kill. */
export interface MutatedPackage {
  /** Globs of sources. */
  readonly sources: readonly string[]
  readonly leftOut?: readonly string[]
  /** Globs of test files. Slow ones are never among them: what only they kill, `npm test` does not see. */
  readonly tests: readonly string[]
  /** In percent. */
  readonly floor: number
}

/** What no package mutates: lists of exports, and texts that a program writes. */
const NOT_MUTATED = ['**/index.ts', '**/generated/**']

export const PACKAGES: Readonly<Record<string, MutatedPackage>> = {
  runtime: {
    sources: ['packages/runtime/src/**/*.ts'],
    tests: ['packages/runtime/test/**/*.test.ts', 'packages/server/test/store/keys/*.test.ts'],
    floor: 85,
  },
  statistics: {
    sources: ['packages/statistics/src/**/*.ts'],
    tests: ['packages/statistics/test/**/*.test.ts'],
    floor: 85,
  },
  monitor: {
    sources: ['packages/monitor/src/**/*.ts'],
    tests: ['packages/monitor/test/**/*.test.ts', 'packages/server/test/http/routes/*.test.ts'],
    floor: 85,
  },
  catalog: {
    sources: ['packages/catalog/src/**/*.ts'],
    tests: ['packages/catalog/test/**/*.test.ts', 'test/operations/{configuration,setting-bounds}.test.ts'],
    floor: 85,
  },
  server: {
    sources: ['packages/server/src/**/*.ts'],
    tests: ['packages/server/test/**/*.test.ts'],
    floor: 85,
  },
  data: {
    sources: ['packages/data/src/**/*.ts'],
    tests: ['packages/data/test/**/*.test.ts', 'packages/patient-risk/test/score/**/*.test.ts'],
    floor: 75,
  },
  'patient-risk': {
    sources: ['packages/patient-risk/src/**/*.ts'],
    tests: ['packages/patient-risk/test/**/*.test.ts', 'packages/data/test/learn/*.test.ts'],
    floor: 75,
  },
  clients: {
    sources: ['clients/typescript/src/**/*.ts'],
    tests: ['test/clients/*.test.ts'],
    floor: 75,
  },
  workbench: {
    // Markup (.tsx) and texts are looked at in a browser.
    sources: ['packages/workbench/src/**/*.ts'],
    leftOut: ['packages/workbench/src/i18n/**', 'packages/workbench/src/**/messages/**'],
    tests: ['packages/workbench/test/*.test.ts'],
    floor: 75,
  },
}

export const leftOutOf = ({ leftOut = [] }: MutatedPackage): readonly string[] => [...NOT_MUTATED, ...leftOut]
