/** The Kubernetes manifests against the types of Kubernetes 1.30: no unknown key, none missing, every value of its type. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'
import { parseAllDocuments } from 'yaml'
import { loadTool, whyNoTool } from '../../scripts/load-tool.ts'

const MANIFESTS = 'ops/kubernetes/patient-risk.yaml'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

const manifests = parseAllDocuments(readFileSync(MANIFESTS, 'utf8')).map((each) => each.toJS() as Manifest)

/** What the compiler says of an object that is written as a constant of its type. */
async function faultsOf(manifest: Manifest): Promise<readonly string[]> {
  const { folder } = (await loadTool('kubernetes')) as { readonly folder: string }
  const { apiVersion, kind } = manifest
  const place = apiVersion.replace('.k8s.io', '')
  const module = `kubernetes-types/${place === 'v1' ? 'core/v1' : place}`
  const text = `import type { ${kind} } from '${module}'\nexport const manifest: ${kind} = ${JSON.stringify(manifest)}\n`
  const path = join(folder, 'manifest.ts')
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    types: [],
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  }
  const host = ts.createCompilerHost(options)
  const files = ts.createCompilerHost(options)
  host.fileExists = (name) => name === path || files.fileExists(name)
  host.readFile = (name) => (name === path ? text : files.readFile(name))
  host.getSourceFile = (name, ...rest) =>
    name === path
      ? ts.createSourceFile(name, text, ts.ScriptTarget.ESNext)
      : files.getSourceFile(name, ...rest)
  const program = ts.createProgram([path], options, host)
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

const skip = whyNoTool('kubernetes')

for (const manifest of manifests) {
  test(`${manifest.kind} ${manifest.metadata.name}`, { skip }, async () => {
    assert.deepEqual(await faultsOf(manifest), [])
  })
}

const BROKEN: readonly (readonly [what: string, change: object])[] = [
  ['an unknown key', { spec: { selector: {}, maxUnavailabel: 1 } }],
  ['a value of another type', { spec: { selector: { matchLabels: { app: 1 } } } }],
  ['a list in place of an object', { spec: [] }],
]
for (const [what, change] of BROKEN) {
  test(`${what} is found`, { skip }, async () => {
    const budget = manifests.find(({ kind }) => kind === 'PodDisruptionBudget') as Manifest
    assert.equal((await faultsOf({ ...budget, ...change })).length > 0, true)
  })
}
