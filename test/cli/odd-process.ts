/** A process for the tests of several: it listens, and ends when asked; as `stubborn` it does not heed the asking. */
import { createServer } from 'node:net'

const [, , manner] = process.argv
const server = createServer().listen(0, '127.0.0.1')
process.on('SIGTERM', () => {
  if (manner === 'stubborn') return
  server.close()
  process.disconnect()
})
