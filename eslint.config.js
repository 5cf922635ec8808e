import tseslint from 'typescript-eslint'

export default tseslint.config(
  // AssemblyScript looks like TypeScript, but its decorators and number types have another meaning.
  {
    ignores: [
      'node_modules/',
      '**/dist/',
      'build/',
      'reports/',
      '.stryker-tmp/',
      'packages/engine/wasm/',
      'packages/workbench/built/',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      // A checked index is written as an assertion of its type; the short form with ! is banned by another rule.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      eqeqeq: 'error',
    },
  },
  {
    // V8 may misread names with an escape (docs/decisions/40-keys-with-a-backslash.md).
    files: ['packages/*/src/**/*.ts', 'packages/*/src/**/*.tsx'],
    ignores: [
      // The one place.
      'packages/engine/src/read/parse-json.ts',
      // What the page itself has stored on this device, with names that have no escapes.
      'packages/workbench/src/session.ts',
      'packages/workbench/src/list/match/match-columns.ts',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'JSON',
          property: 'parse',
          message: 'V8 may misread names with an escape. Use parseJson of engine/read/parse-json.ts.',
        },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'CallExpression[callee.property.name="json"][arguments.length=0]',
          message: 'It calls JSON.parse. Use parseJson(await response.text()).',
        },
      ],
    },
  },
  {
    // node:test registers a test by a call whose promise nobody awaits.
    files: ['test/**/*.ts', 'packages/*/test/**/*.ts'],
    rules: { '@typescript-eslint/no-floating-promises': 'off' },
  },
  {
    // node:test loads a reporter by its default export.
    files: ['test/reporters/*.ts'],
    rules: { 'no-restricted-exports': 'off' },
  },
)
