/** A thread for any number of SQLite files, see `shared-store-threads.ts`. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { NO_LIMIT, Rpc, portOf } from '@patient-risk/runtime'
import { type ThreadData, sqliteThread } from '@patient-risk/server/store'

interface NewFile {
  readonly data: ThreadData
  readonly port: MessagePort
}

parentPort?.on('message', ({ data, port }: NewFile) => {
  const run = sqliteThread(data)
  new Rpc(portOf(port), 'the caller', { run }, { memory: data.claims })
  port.on('message', (message) => {
    if (message === 'end') void run('close', [], NO_LIMIT).finally(() => port.close())
  })
})
