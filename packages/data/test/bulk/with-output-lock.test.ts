/** Two runs on one output: the second is refused while the first lives, and their rows never mix. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { tempName, openTempOutput, withOutputLock } from '../../src/bulk/output/sink.ts'
import { COMPILED, MAIN, runHere } from '../../../../test/support/run-command.ts'
import { asLines, cleanRecords } from '../../../../test/support/records.ts'
import { until } from '../../../../test/support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'output-lock-'))
after(() => rmSync(folder, { recursive: true }))
const input = join(folder, 'in.ndjson')
const output = join(folder, 'out.ndjson')
writeFileSync(input, asLines(cleanRecords(3)))

test('a file is held for one piece of work at a time, by whatever name, and free afterwards', async () => {
  mkdirSync(join(folder, 'sub'))
  const free = (): Promise<string> => Promise.resolve('free')
  await withOutputLock([output], async () => {
    await assert.rejects(
      withOutputLock([output], free),
      /out\.ndjson: cannot be written \(another run is writing it/,
    )
    await assert.rejects(withOutputLock([join(folder, 'sub', '..', 'out.ndjson')], free), /another run/)
    assert.equal(await withOutputLock([join(folder, 'sub', 'out.ndjson')], free), 'free')
  })
  assert.equal(await withOutputLock([output], free), 'free')
  await assert.rejects(
    withOutputLock([output], () => Promise.reject(new Error('its own'))),
    /its own/,
  )
  assert.equal(await withOutputLock([output], free), 'free')
  rmSync(join(folder, 'sub'), { recursive: true })
})

for (const more of [[], ['--resume']]) {
  test(`a second run is refused while the first is running, and runs once it is killed ${more.join(' ')}`, async () => {
    const first = spawn(process.execPath, [MAIN, 'score', '-', '-o', output], {
      env: COMPILED,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const args = ['score', input, '-o', output, '--quiet', ...more]
    await hasBegun(first)
    const second = await runHere(args)
    assert.equal(second.code, 1)
    assert.match(second.err, /another run is writing it; wait for its end/)
    const exit = once(first, 'exit')
    first.kill('SIGKILL')
    await exit
    assert.deepEqual(await runHere(args), { code: 0, out: '', err: '' })
    assert.equal(readFileSync(output, 'utf8').split('\n').length, 4)
    assert.deepEqual(readdirSync(folder).sort(), ['in.ndjson', 'out.ndjson'])
    rmSync(output)
  })
}

test('without a lock, a second run writes its own file, and the first one fails', async () => {
  const first = await openTempOutput(output, 0)
  await first.write(Buffer.from('first'))
  const second = await openTempOutput(output, 0)
  await second.write(Buffer.from('2nd'))
  await first.write(Buffer.from(' goes on'))
  await assert.rejects(first.sync(), /another run has begun to write it/)
  await second.sync()
  await first.close()
  await second.close()
  renameSync(tempName(output), output)
  assert.equal(readFileSync(output, 'utf8'), '2nd')
  rmSync(output)
})

async function hasBegun(child: ChildProcess): Promise<void> {
  await until(() => existsSync(`${output}.unfinished`) || child.exitCode !== null)
  assert.equal(child.exitCode, null, 'the run ended before it began to write')
}
