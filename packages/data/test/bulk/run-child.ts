/** A run in a process of its own, for a test that kills it: past its first checkpoint it stands still. Its options come as JSON. */
import { existsSync } from 'node:fs'
import { loadCatalog } from '@patient-risk/catalog'
import { type FileRun, scoreFile } from './score-file.ts'

const options = JSON.parse(process.argv[2] ?? '') as FileRun
const { catalog } = loadCatalog(['clinical'])
if (catalog === undefined) throw new Error('the catalogue of this repository is not valid')
const never = new Int32Array(new SharedArrayBuffer(4))
await scoreFile({
  ...options,
  catalog,
  onProgress: () => {
    if (existsSync(`${options.output ?? ''}.checkpoint`)) Atomics.wait(never, 0, 0)
  },
})
