/** The TypeScript client as it is published: what the package holds, and that it works in the Node of this project. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Served, serve } from '../support/serve.ts'
import { runClient } from './run-client.ts'
import { type PackedClient, packClient } from './pack-client.ts'

const LARGEST_BYTES = 40_000
const MODULES = ['batches', 'client', 'jobs', 'requests', 'schema', 'stream', 'types']

interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly [name: string]: unknown
}
const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

let client: PackedClient
let served: Served
before(async () => {
  client = packClient()
  served = await serve()
})
after(async () => {
  await served.close()
  client.remove()
})

test('the package holds the built modules, their types and no source, and is small', () => {
  const built = MODULES.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`])
  assert.deepEqual(client.tarball.files.map(({ path }) => path).sort(), [
    'LICENSE',
    'README.md',
    ...built,
    'package.json',
  ])
  assert.ok(client.tarball.bytes < LARGEST_BYTES, `${client.tarball.bytes} bytes`)
  assert.equal(readFileSync('clients/typescript/LICENSE', 'utf8'), readFileSync('LICENSE', 'utf8'))
})

test('it has no dependency and no install script, and the version of the service', () => {
  const manifest = readManifest(join(client.folder, 'node_modules/patient-risk-client'))
  const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies']
  for (const kind of kinds) assert.equal(manifest[kind], undefined, kind)
  assert.deepEqual(Object.keys(manifest['scripts'] as object), ['build', 'prepack'])
  assert.equal(manifest.version, readManifest('.').version)
  assert.equal(manifest.engines.node, '>=20')
})

test(`Node ${process.version}, of this project; other versions are in the slow tests`, () =>
  runClient([process.execPath], client, served))
