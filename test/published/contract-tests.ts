/**
 * Puts the contract tests into an installed `patient-risk`, compiled, at the paths that they have in the checkout. There they
 * import the code of the package, and run on every Node that it supports.
 */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { nameByPath } from '../../scripts/pack.ts'

/** Without the test of coverage, which reads the sources of the tests. */
const TESTS = 'packages/server/test/contract/[0-9]*.test.ts'
const SUPPORT = 'test/support/**/*.ts'

/** The test files below the folder of the package. */
export function addContractTests(folder: string): readonly string[] {
  const tests = globSync(TESTS)
  const written = [...tests, ...globSync(SUPPORT)].map((file) => {
    const path = placeOf(file)
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), compile(readFileSync(file, 'utf8')))
    return join(folder, path)
  })
  for (const file of globSync('test/support/**/*.json')) cpSync(file, join(folder, file))
  nameByPath(written, join(folder, 'dist'))
  return tests.map(placeOf)
}

const placeOf = (file: string): string => file.replace(/^packages\//, 'dist/').replace(/\.ts$/, '.js')

function compile(text: string): string {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
  }
  return ts.transpileModule(text, { compilerOptions }).outputText
}
