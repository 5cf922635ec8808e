/** An error that nobody expected: a command says what and where, and nothing of its text. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { COMPILED, MAIN } from '../../../test/support/run-command.ts'

const CANARY = 'Maria Lopez 1941'
const CAST = `JSON.parse('{"ward":${CANARY}}')`
const INSTALL = `import { reportUncaughtErrors } from './packages/server/src/log/log.ts'; reportUncaughtErrors();`

const FAULTS = [
  ['thrown', `${INSTALL} ${CAST}`],
  ['thrown later', `${INSTALL} setTimeout(() => ${CAST}, 1)`],
  ['rejected', `${INSTALL} void (async () => ${CAST})()`],
  ['thrown as a text', `${INSTALL} throw '${CANARY}'`],
] as const

for (const [what, script] of FAULTS) {
  test(`an error that is ${what} ends a command without a word of it`, () => {
    ends(spawnSync(process.execPath, ['--input-type=module', '-e', script]))
  })
}

test('every command has this last resort', () => {
  // What the command line does first is made to fail.
  const preload = `process.argv.slice = () => ${CAST}`
  const args = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`, MAIN, 'models']
  ends(spawnSync(process.execPath, args, { env: COMPILED }))
})

function ends({ status, stdout, stderr }: ReturnType<typeof spawnSync>): void {
  const said = String(stderr)
  assert.equal(status, 70)
  assert.match(
    said,
    /^This is a fault of patient-risk, not of your data: (SyntaxError|string)[^\n]*report[^\n]*\n$/,
  )
  assert.doesNotMatch(`${String(stdout)}${said}`, /Maria|ward|position/)
}

test('a service reports to its log only', () => {
  const script = `${INSTALL}
    import { createLog } from './packages/server/src/log/log.ts'
    reportUncaughtErrors(createLog('info')); setTimeout(() => ${CAST}, 1)`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script])
  assert.equal(status, 70)
  assert.match(String(stdout), /"event":"uncaught-exception"/)
  assert.equal(String(stderr), '')
})
