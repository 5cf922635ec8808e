/** Copies of patient data that `kill -9` leaves: the next run removes them, and leaves those of a run that is still at work. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { COMPILED, MAIN, run } from '../../../../test/support/run-command.ts'
import { until } from '../../../../test/support/until.ts'

const place = mkdtempSync(join(tmpdir(), 'left-'))
const children: ChildProcess[] = []
after(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(place, { recursive: true })
})

const HEADER = 'idx,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays\n'
const ROWS = '1,84,F,2,1,7\n'
const whole = join(place, 'whole.csv')
writeFileSync(whole, HEADER + ROWS)

/** A run whose input has not ended, when the first bytes of its copy are on the disk. */
async function startedIn(
  temporary: string,
): Promise<{ readonly child: ChildProcess; readonly copy: string }> {
  const before = copiesIn(temporary)
  const child = spawn(process.execPath, [MAIN, 'score', '-', '--from', 'csv', '--quiet'], {
    env: { ...COMPILED, TMPDIR: temporary },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  children.push(child)
  // A killed process does not read the rest.
  child.stdin.on('error', () => undefined).write(HEADER + ROWS.repeat(20_000))
  // Before it makes its own, it renames the folder that a killed run has left, and removes it.
  const newCopy = (): string | undefined =>
    copiesIn(temporary).find((each) => !before.includes(each) && !each.includes('-gone/'))
  await until(() => newCopy() !== undefined && copiesIn(temporary).length === 1)
  return { child, copy: newCopy() as string }
}

function copiesIn(temporary: string): readonly string[] {
  const names = readdirSync(temporary, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => {
    const found = statSync(join(temporary, name), { throwIfNoEntry: false })
    return found?.isFile() === true && found.size > 0
  })
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
}

test('the next run removes the copy of a killed one, and not that of a run at work', async () => {
  const temporary = join(place, 'temporary')
  mkdirSync(temporary)
  const killed = await startedIn(temporary)
  killed.child.kill('SIGKILL')
  await ended(killed.child)
  assert.match(readFileSync(join(temporary, killed.copy), 'utf8'), /84,F/)

  const working = await startedIn(temporary)
  assert.deepEqual(copiesIn(temporary), [working.copy])

  const next = await run(['score', whole, '--quiet'], { TMPDIR: temporary })
  assert.deepEqual([next.code, copiesIn(temporary)], [0, [working.copy]])

  working.child.stdin?.end()
  await ended(working.child)
  assert.equal(working.child.exitCode, 3)
  assert.deepEqual(readdirSync(temporary), [])
})

test('processes that start and end at the same time never remove the folder of another', async () => {
  const temporary = mkdtempSync(join(place, 'race-'))
  const module = new URL('../../../runtime/src/files/temp-folder.ts', import.meta.url).href
  const script = `import { writeFileSync } from 'node:fs'
    import { makeTempFolder } from ${JSON.stringify(module)}
    for (let round = 0; round < 150; round++) {
      const { path, remove } = makeTempFolder()
      writeFileSync(path + '/copy', 'x')
      remove()
    }`
  const ended = Array.from({ length: 3 }, async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...COMPILED, TMPDIR: temporary },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    children.push(child)
    const [code] = (await once(child, 'close')) as [number]
    return code
  })
  assert.deepEqual(await Promise.all(ended), [0, 0, 0])
  assert.deepEqual(readdirSync(temporary), [])
})
