/** The token of SMART Backend Services: one is asked for at a time, and given up only where the server has refused that one. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { BackendToken } from '../../src/remote/backend-token.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-token-'))
after(() => rmSync(folder, { recursive: true }))
const key = join(folder, 'key.json')
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
writeFileSync(key, JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'a' }))

test('a refusal of an earlier token leaves the present one in use', async () => {
  let asked = 0
  const server = {
    base: new URL('https://fhir.example/'),
    call: () => {
      asked++
      const given = { token_type: 'Bearer', expires_in: 300, scope: 'system/Patient.rs' }
      return Promise.resolve(Buffer.from(JSON.stringify({ ...given, access_token: `t${asked}` })))
    },
  } as unknown as ConstructorParameters<typeof BackendToken>[0]
  const tokenUrl = 'https://fhir.example/token'
  const backend = { clientId: 'c', key, tokenUrl, scope: 'system/Patient.rs', deployments: [] }
  const token = new BackendToken(server, backend)
  assert.deepEqual(await Promise.all([token.get(), token.get()]), ['t1', 't1'])
  /** The token that is refused · the one that is used then. */
  for (const [refused, then] of [
    ['t1', 't2'],
    // A call that began with the first one is refused only now.
    ['t1', 't2'],
    [undefined, 't2'],
    ['t2', 't3'],
  ] as const) {
    token.forget(refused)
    assert.equal(await token.get(), then)
  }
  assert.equal(asked, 3)
})
