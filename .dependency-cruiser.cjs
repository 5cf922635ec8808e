/** Import rules, held by test/walls.test.ts. Which folder may import which is listed in walls.json. */
const rooms = require('./walls.json')

/** A room is a folder or file of src, or a folder beside src. A permission is a room, or the path of a single file. */
const place = (name) => (name.includes('/') ? `^${name}$` : `^(src/)?${name}(/|\\.ts$)`)

const walls = Object.entries(rooms).map(([room, allowed]) => ({
  name: `wall-of-${room}`,
  severity: 'error',
  from: { path: place(room) },
  to: {
    path: '^(src|workbench|clients|test|bench|scripts)/',
    pathNot: [room, ...allowed].map(place),
  },
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
      name: 'clients-stand-alone',
      comment: 'Each client is installed without the service.',
      severity: 'error',
      from: { path: '^clients/' },
      to: { pathNot: '^clients/' },
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
