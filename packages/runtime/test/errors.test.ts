/** Errors of code that does not know the table of codes: the engine has a table of its own, and its codes are those of the service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINE_ERRORS, EngineError, type EngineErrorCode } from 'patient-risk-engine/read'
import { AppError, ERRORS, appErrorOf } from '../src/errors.ts'

for (const [code, text] of Object.entries(ENGINE_ERRORS)) {
  test(`the engine's ${code} has the same words in the service`, () => {
    assert.equal(ERRORS[code as EngineErrorCode], text)
    const refusal = appErrorOf(new EngineError(code as EngineErrorCode, 'a detail'))
    assert.ok(refusal instanceof AppError)
    assert.deepEqual([refusal.code, refusal.detail], [code, 'a detail'])
  })
}

const system = Object.assign(new Error('no such file'), { code: 'ENOENT', detail: 'x' })
const inherited = Object.assign(new Error('x'), { code: 'constructor', detail: 'x' })
const bare = Object.assign(new Error('x'), { code: 'BODY_MALFORMED' })
const own = new AppError('DRAINING')

/** What was thrown · the code of the AppError that it stands for. */
const THROWN: readonly (readonly [string, unknown, string | undefined])[] = [
  ['an AppError', own, 'DRAINING'],
  ['an error of the system', system, undefined],
  ['a code that every object has', inherited, undefined],
  ['a code without a detail', bare, undefined],
  ['a text', 'BODY_MALFORMED', undefined],
  ['an object that is not an error', { code: 'BODY_MALFORMED', detail: 'x' }, undefined],
]
for (const [what, thrown, code] of THROWN) {
  test(`${what} stands for ${code ?? 'no AppError'}`, () => {
    assert.equal(appErrorOf(thrown)?.code, code)
  })
}
