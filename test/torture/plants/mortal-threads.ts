/** Not a defect of ours but a hazard: a thread that answers large bodies dies after a moment, in the middle of its work. */
import { createRequire, syncBuiltinESMExports } from 'node:module'
import type { Worker } from 'node:worker_threads'

const LIFE_MS = 400
const threads = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof Worker }

threads.Worker = class extends threads.Worker {
  constructor(...words: ConstructorParameters<typeof Worker>) {
    super(...words)
    if (!String(words[0]).includes('/lane/')) return
    // Counted from its first answer: before that it is still reading what it is to know.
    this.once('message', () => setTimeout(() => void this.terminate(), LIFE_MS).unref())
  }
}
syncBuiltinESMExports()
