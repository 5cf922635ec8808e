/** A run in a process of its own, for a test that kills it. Its options come as JSON. */
import type { RunOptions } from '../../src/bulk/options.ts'
import { testCatalog } from '../serve.ts'
import { scoreFile } from './score-file.ts'

const options = JSON.parse(process.argv[2] ?? '') as RunOptions
await scoreFile({ ...options, catalog: testCatalog() })
