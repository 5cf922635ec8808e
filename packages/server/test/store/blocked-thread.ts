/**
 * Loaded into the thread of a SQLite store before its own code, so that a test can stop it inside a transaction. The thread waits there,
 * as on a disk that is stuck, until the test lets it go on.
 */
import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'

/** Cells of the shared memory: which statement to stop at, whether the thread is there, and how often it was let go. */
export const CELLS = { place: 0, isThere: 1, gone: 2 } as const
/** Where the thread can be stopped: after the last statement of a transaction with an audit row, or in its COMMIT. */
export const PLACES = { nowhere: 0, beforeCommit: 1, inCommit: 2 } as const

const { gate } = (workerData ?? {}) as { readonly gate?: SharedArrayBuffer }

if (gate !== undefined) {
  const cells = new Int32Array(gate)
  const stopAt = (place: number): void => {
    if (Atomics.load(cells, CELLS.place) !== place) return
    const gone = Atomics.load(cells, CELLS.gone)
    Atomics.store(cells, CELLS.place, PLACES.nowhere)
    Atomics.store(cells, CELLS.isThere, 1)
    Atomics.notify(cells, CELLS.isThere)
    Atomics.wait(cells, CELLS.gone, gone)
  }
  const prepare = Reflect.get(DatabaseSync.prototype, 'prepare')
  DatabaseSync.prototype.prepare = function (text) {
    const statement = prepare.call(this, text)
    const all = statement.all.bind(statement) as (...values: readonly never[]) => never[]
    const run = statement.run.bind(statement)
    if (text.startsWith('INSERT INTO audit_queue')) {
      statement.all = (...values: never[]) => {
        const rows = all(...values)
        stopAt(PLACES.beforeCommit)
        return rows
      }
    }
    if (text === 'COMMIT') {
      statement.run = () => {
        stopAt(PLACES.inCommit)
        return run()
      }
    }
    return statement
  }
}
