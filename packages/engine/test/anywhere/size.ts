/** `node packages/engine/test/anywhere/size.ts`: the size of the engine, and with all scales and models, for the README. */
import { gzipSync } from 'node:zlib'
import { makeDeployments, packDeployment } from '@patient-risk/catalog'
import { testCatalog } from '../../../../test/support/serve.ts'
import { bundleEngine } from './bundle.ts'
import { DEPLOYMENTS } from './compare.ts'

const kB = (text: string): string =>
  `${Math.round(Buffer.byteLength(text) / 1_000)} kB, ${Math.round(gzipSync(text, { level: 9 }).length / 1_000)} kB compressed`

const engine = await bundleEngine()
const catalog = testCatalog()
const packs = makeDeployments(catalog, DEPLOYMENTS).deployments.map((each) => packDeployment(catalog, each))
const [first] = packs
// All packs have the same definitions.
const models = packs.map((packed) => ({ ...packed, definitions: undefined }))
process.stdout.write(
  [
    `engine: ${kB(engine)}`,
    `deployment.json of ${first?.name}: ${kB(JSON.stringify(first))}`,
    `engine, all scales and ${models.length} models: ${kB(engine + JSON.stringify([first?.definitions, models]))}`,
    '',
  ].join('\n'),
)
