/** Not a defect of ours but a hazard: a thread that answers large bodies dies after a moment, in the middle of its work. */
import { createRequire, syncBuiltinESMExports } from 'node:module'
import type { Worker } from 'node:worker_threads'

const LIFE_MS = 100
const threads = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof Worker }

threads.Worker = class extends threads.Worker {
  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args)
    if (!String(args[0]).includes('/adapters/worker.')) return
    // Counted from its first answer: before that it is still starting.
    this.once('message', () => setTimeout(() => void this.terminate(), LIFE_MS).unref())
  }
}
syncBuiltinESMExports()
