/** The walls of the house: who may import whom. Held by test/walls.test.ts. */
const rooms = {
  errors: [],
  'server-settings': [],
  'config-file': ['definition', 'errors', 'server-settings'],
  config: ['config-file', 'definition', 'errors', 'server-settings'],
  definition: ['errors'],
  engine: ['definition', 'errors'],
  catalog: ['engine', 'definition', 'errors', 'config-file'],
  store: ['errors', 'threads'],
  bulk: ['catalog', 'engine', 'definition', 'errors', 'config-file', 'tables', 'threads'],
  learn: ['catalog', 'engine', 'definition', 'errors', 'tables'],
  tables: ['errors'],
  threads: ['errors'],
  http: [
    'catalog',
    'engine',
    'definition',
    'store',
    'errors',
    'config',
    'config-file',
    'server-settings',
    'threads',
  ],
}

const walls = Object.entries(rooms).map(([room, allowed]) => ({
  name: `wall-of-${room}`,
  severity: 'error',
  from: { path: `^src/${room}(/|\\.ts$)` },
  to: { path: '^src/', pathNot: [room, ...allowed].map((name) => `^src/${name}(/|\\.ts$)`) },
}))

module.exports = {
  forbidden: [
    ...walls,
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'engine-is-pure',
      comment: 'The engine and the definitions know no clock, no randomness and no input or output.',
      severity: 'error',
      from: { path: '^src/(engine|definition)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'workbench-speaks-http-only',
      severity: 'error',
      from: { path: '^workbench/' },
      to: { path: '^(src|test|bench|scripts)/' },
    },
    {
      name: 'nothing-unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-development-package-in-the-service',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'] },
    },
    {
      name: 'no-drawer',
      comment: 'A helper lives beside its one user, or earns a name.',
      severity: 'error',
      from: {},
      to: { path: '(^|/)(utils?|helpers?|common|shared|misc)(/|\\.ts$)', pathNot: 'node_modules' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      conditionNames: ['import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
}
