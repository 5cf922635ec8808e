/** The thread that reads figures from the SQLite file, beside the one that writes. */
import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { NO_LIMIT } from '@patient-risk/runtime'
import type { CountedCell } from '@patient-risk/monitor'
import { sqliteThread } from '../../src/store/sqlite/sqlite-thread.ts'
import { inFolder } from '../../../../test/support/run-command.ts'
import { TEST_SECRET } from './open-file.ts'
import { outcomesOf } from './outcome-requests.ts'

test('a reader that stays open sees what the writer adds after it has opened the file again, with a new log', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'patient-risk.sqlite')
    const write = sqliteThread({ path, secrets: [TEST_SECRET] })
    const read = sqliteThread({ path, secrets: [TEST_SECRET], isReader: true })
    const count = (request: string): Promise<unknown> =>
      write('countOutcomes', [outcomesOf('a', { request })], NO_LIMIT)
    const counted = async (): Promise<number> => {
      const cells = await read('readOutcomes', ['a', 'D', ['', '9999-12'], []], NO_LIMIT)
      return (cells as readonly CountedCell[]).reduce((sum, { number }) => sum + number, 0)
    }
    await count('first')
    assert.equal(await counted(), 1)
    await count('second')
    assert.equal(await counted(), 2)
    await write('close', [], NO_LIMIT)
    const other = new DatabaseSync(path)
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    other.close()
    // The reader still has these open.
    for (const ending of ['-wal', '-shm']) rmSync(path + ending)
    await count('third')
    assert.equal(await counted(), 3)
    for (const thread of [read, write]) await thread('close', [], NO_LIMIT)
  }))

test('a reader makes no new log where the log was deleted: the thread that writes must notice it', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'patient-risk.sqlite')
    const write = sqliteThread({ path, secrets: [TEST_SECRET] })
    const read = sqliteThread({ path, secrets: [TEST_SECRET], isReader: true })
    const figures = (): Promise<unknown> => read('readOutcomes', ['a', 'D', ['', '9999-12'], []], NO_LIMIT)
    await write('countOutcomes', [outcomesOf('a')], NO_LIMIT)
    await figures()
    rmSync(`${path}-wal`)
    await assert.rejects(figures(), /the log of the store was deleted or replaced/)
    assert.ok(!existsSync(`${path}-wal`))
    await assert.rejects(write('chainQueued', [], NO_LIMIT), /the log of the store was deleted or replaced/)
    // It has opened the file again, and with it the log.
    await write('chainQueued', [], NO_LIMIT)
    for (const thread of [read, write]) await thread('close', [], NO_LIMIT)
  }))
