/**
 * `score --changed` is killed at seeded moments. Each output is the old one or the new one at any time, and the next run ends with what a
 * run that was not interrupted gives.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FSWatcher, cpSync, existsSync, readFileSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cleanRecord } from '../../../../../test/support/records.ts'
import { MAIN } from '../../../../../test/support/run-command.ts'
import { NightlyFolder } from './nightly-folder.ts'
import { SEED } from '../../../../../test/support/fast-check.ts'
import { Random } from '../../../../../test/support/random.ts'

const FILES = 6
const KILLS = 12
const HEADER = 'nhc,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
const KEYED = ['--id', 'nhc', '--key', 'nhc', '--quiet']

/** `version` changes one row of each file, and takes another one away. */
function content(file: number, version: number): string {
  const rows = [0, 1, 2, 3]
    .filter((row) => row !== version)
    .map((row) => {
      const { age, sex, inpatientAdmissions, emergencyAdmissions, stayDays } = cleanRecord(10 * file + row)
      const older = row === 3 ? version : 0
      return [
        `P${file}${row}`,
        Number(age) + older,
        sex,
        inpatientAdmissions,
        emergencyAdmissions,
        stayDays,
      ].join(',')
    })
  return [HEADER, ...rows].map((row) => `${row}\n`).join('')
}

function writeAll(folder: NightlyFolder, version: number): void {
  for (let file = 0; file < FILES; file++) folder.write(`f${file}.csv`, content(file, version))
}

function outputsOf(folder: NightlyFolder): ReadonlyMap<string, string> {
  const names = readdirSync(folder.outputs).filter((name) => /^f\d\.csv$/.test(name))
  return new Map(names.map((name) => [name, readFileSync(join(folder.outputs, name), 'utf8')]))
}

for (const [what, options] of [
  ['whole outputs', ['--id', 'nhc', '--quiet']],
  ['changed rows', KEYED],
] as const) {
  test(`a killed run leaves old or new outputs, and the next one completes them: ${what}`, async (context) => {
    const random = new Random(SEED)
    using plain = new NightlyFolder()
    writeAll(plain, 0)
    await plain.run(options)
    const old = outputsOf(plain)
    const start = join(plain.root, 'start')
    cpSync(plain.outputs, start, { recursive: true })
    writeAll(plain, 1)
    await plain.run(options)
    const expected = outputsOf(plain)
    let midway = 0
    for (let kill = 0; kill < KILLS; kill++) {
      using folder = new NightlyFolder()
      cpSync(start, folder.outputs, { recursive: true })
      writeAll(folder, 1)
      const moment = 1 + random.below(90)
      await killedAfter(folder, options, moment)
      const left = outputsOf(folder)
      assert.equal(left.size, FILES)
      for (const [name, text] of left)
        assert.ok(
          text === old.get(name) || text === expected.get(name),
          `${name} is neither, moment ${moment}`,
        )
      const isNew = [...left].filter(([name, text]) => text === expected.get(name)).length
      if (isNew > 0 && isNew < FILES) midway++
      folder.manifest()
      const { code, err } = await folder.run(options)
      assert.equal(code, 0, err)
      assert.deepEqual(outputsOf(folder), expected, `moment ${moment}`)
      const { files, complete } = folder.manifest()
      assert.ok(complete)
      for (const [name, { sha256 }] of Object.entries(files)) assert.equal(sha256, folder.hashOf(name))
      const hidden = ['.risk-manifest.lock', ...(options === KEYED ? ['.risk-rows'] : [])]
      const all = [...hidden, ...expected.keys(), 'risk-manifest.json'].sort()
      assert.deepEqual(readdirSync(folder.outputs).sort(), all)
    }
    context.diagnostic(`${midway} of ${KILLS} runs were killed with some outputs old and some new`)
  })
}

/** Starts a run, and kills it when the folder has changed so many times: a moment of the run itself, on any machine. */
async function killedAfter(folder: NightlyFolder, options: readonly string[], moment: number): Promise<void> {
  assert.ok(existsSync(folder.outputs))
  let seen = 0
  const child = spawn(process.execPath, [MAIN, ...folder.args(...options)], { env: {}, stdio: 'ignore' })
  const exit = once(child, 'exit')
  const watcher: FSWatcher = watch(folder.outputs, () => {
    seen++
    if (seen === moment) child.kill('SIGKILL')
  })
  try {
    await exit
  } finally {
    watcher.close()
  }
}
