/** The thread that owns the SQLite file. A disk that stalls stops this thread, never the one that answers requests. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Rpc, portOf } from '@patient-risk/runtime'
import { type ThreadData, sqliteThread } from './sqlite-thread.ts'

const data = workerData as ThreadData
const port = portOf(parentPort as MessagePort)
new Rpc(port, 'the caller', { run: sqliteThread(data) }, { memory: data.claims })
