/** Puts the simulated machine in place of what the code of `src` uses of Node: threads, SQLite, the file of the anchors, random bytes. */
import crypto from 'node:crypto'
import fs from 'node:fs'
import filePromises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import threads from 'node:worker_threads'
import type { Query } from '../../src/store/sql.ts'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { SimulatedWorker, changedSql, theMachine, usual } from './machine.ts'
import { theWorld } from './world.ts'

/** A statement that fails where the seed says so. */
function watched(statement: StatementSync, text: string, database: DatabaseSync): StatementSync {
  for (const name of ['all', 'run'] as const) {
    const run = statement[name].bind(statement) as (...values: never[]) => never
    statement[name] = (...values: never[]) => {
      const machine = theMachine()
      return machine === undefined ? run(...values) : machine.around(text, database, () => run(...values))
    }
  }
  return statement
}

/** The file of the anchors, without the thread pool of Node: its order would not be that of the seed. */
function openHere(path: string, flags: string, mode?: number): Promise<unknown> {
  return new Promise((resolve) => {
    const file = fs.openSync(path, flags, mode)
    resolve({
      stat: () => Promise.resolve(fs.fstatSync(file)),
      read: (buffer: Buffer, offset: number, length: number, position: number) => {
        fs.readSync(file, buffer, offset, length, position)
        return Promise.resolve({ buffer })
      },
      write: (text: string, position: number) =>
        new Promise<void>((done, fail) => {
          if (theMachine()?.isFull === true)
            fail(Object.assign(new Error('no space left'), { code: 'ENOSPC' }))
          else {
            theMachine()?.noteAnchors(fs.readFileSync(path))
            fs.writeSync(file, text, position)
            done()
          }
        }),
      close: () => {
        fs.closeSync(file)
        return Promise.resolve()
      },
    })
  })
}

/** Once for a thread. Where no machine is used, everything is as usual. */
export function replaceThreadsAndFiles(): void {
  const { open } = filePromises
  const UsualWorker = threads.Worker
  const { randomBytes } = crypto
  Object.assign(threads, {
    Worker: new Proxy(UsualWorker, {
      construct: (_usual, args: never) =>
        theMachine() === undefined
          ? Reflect.construct(UsualWorker, args)
          : Reflect.construct(SimulatedWorker, args),
    }),
  })
  Object.assign(filePromises, {
    open: (...args: Parameters<typeof openHere>) =>
      theWorld() === undefined ? Reflect.apply(open, filePromises, args) : openHere(...args),
  })
  Object.assign(crypto, {
    randomBytes: (size: number) => {
      const here = theWorld()
      return here === undefined
        ? randomBytes(size)
        : Buffer.from(Array.from({ length: size }, () => here.between(0, 255)))
    },
  })
  syncBuiltinESMExports()
  // On the prototype: the exports of node:sqlite cannot be replaced.
  DatabaseSync.prototype.exec = function (text) {
    const machine = theMachine()
    machine?.opened(this)
    const run = (): void => usual.exec.call(this, changedSql(text))
    if (machine === undefined) run()
    else machine.around(text, this, run)
  }
  DatabaseSync.prototype.close = function () {
    const machine = theMachine()
    if (machine !== undefined) machine.commits++
    usual.close.call(this)
  }
  DatabaseSync.prototype.prepare = function (text) {
    theMachine()?.opened(this)
    return watched(usual.prepare.call(this, changedSql(text)), text, this)
  }
  type Work = (query: Query) => Promise<unknown>
  const transaction = Reflect.get(SqliteDatabase.prototype, 'transaction') as (work: Work) => Promise<unknown>
  // Other processes may come first. Inside a transaction no other one runs: SQLite has one writer at a time.
  Reflect.set(SqliteDatabase.prototype, 'transaction', async function (this: SqliteDatabase, work: Work) {
    await theWorld()?.turn()
    const stoppable: Work = async (query) => {
      const result = await work(query)
      await theMachine()?.beforeCommit()
      return result
    }
    const result = await Reflect.apply(transaction, this, [stoppable])
    await theWorld()?.turn()
    return result
  })
}
