/**
 * Threads that the stores of one process share, a thread for each role: a new one takes some 100 ms of processor time, and tests open
 * hundreds of stores. A store that must lose its thread, or hold one up, starts its own.
 */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { portOf, threadEntry } from '@patient-risk/runtime'
import type { StartThread } from '@patient-risk/server/store'

let writer: Worker | undefined
let reader: Worker | undefined

export const startShared: StartThread = (data) => {
  const worker = data.isReader === true ? (reader ??= startWorker()) : (writer ??= startWorker())
  const { port1: port, port2 } = new MessageChannel()
  worker.postMessage({ data, port: port2 }, [port2])
  // It may keep the process alive only while something is asked of it, as a thread of its own does.
  const rpcPort = portOf(port)
  // A port that is closed says so once.
  let ended: Promise<void> | undefined
  return {
    port: {
      send: (message, done) => rpcPort.send(message, done),
      on(event, listener) {
        rpcPort.on(event, listener)
        port.unref()
      },
    },
    end: () => (ended ??= closed(port)),
  }
}

/** The thread closes the file, and then the port. */
function closed(port: MessagePort): Promise<void> {
  return new Promise((resolve) => {
    port.ref()
    port.once('close', resolve)
    port.postMessage('end')
  })
}

function startWorker(): Worker {
  const worker = new Worker(threadEntry(import.meta.url, 'store-thread'))
  worker.unref()
  return worker
}
