/** A process for the tests of several: it listens, and ends on a signal; as `slow` after a message, as `stubborn` never. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { stopSignal } from '@patient-risk/server'

const [, , manner] = process.argv
const stopAsked = stopSignal()
const server = createServer().listen(0, '127.0.0.1')
await stopAsked
process.send?.('stopping')
if (manner === 'slow') await once(process, 'message')
if (manner !== 'stubborn') {
  server.close()
  process.disconnect()
}
