/** Which folder may import which. Held by test/walls.test.ts. */
const rooms = {
  errors: [],
  clock: [],
  digest: [],
  definition: [],
  files: ['definition'],
  config: ['definition', 'files'],
  engine: ['definition', 'errors'],
  sql: ['definition', 'engine'],
  catalog: ['config', 'definition', 'digest', 'engine', 'files'],
  workers: ['errors'],
  log: ['clock', 'errors'],
  metrics: ['engine'],
  store: ['clock', 'digest', 'errors', 'files', 'log', 'workers'],
  tables: ['definition', 'files'],
  bulk: ['catalog', 'definition', 'engine', 'files', 'sql', 'tables', 'workers'],
  learn: ['catalog', 'definition', 'engine', 'files', 'tables'],
  http: [
    'catalog',
    'clock',
    'config',
    'digest',
    'engine',
    'errors',
    'files',
    'log',
    'metrics',
    'store',
    'workers',
  ],
  adapters: ['catalog', 'config', 'definition', 'engine', 'errors', 'files', 'http', 'store', 'workers'],
  client: [],
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
