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

type Server = ConstructorParameters<typeof BackendToken>[0]
const tokenUrl = 'https://fhir.example/token'
const serverOf = (call: () => Promise<Buffer>): Server =>
  ({ base: new URL('https://fhir.example/'), call }) as unknown as Server
const answerWith = (given: object): Promise<Buffer> =>
  Promise.resolve(
    Buffer.from(JSON.stringify({ token_type: 'Bearer', expires_in: 300, access_token: 't', ...given })),
  )

const TWO = 'system/Patient.rs system/Encounter.rs'
/** What is asked for · what is granted · the scope that is not. */
const SCOPES: readonly (readonly [string, unknown, string | undefined])[] = [
  [TWO, TWO, undefined],
  [TWO, ['system/Encounter.read', 'system/Patient.read'], undefined],
  [TWO, 'system/*.rs', undefined],
  [TWO, 'system/Patient.r system/Patient.s system/Encounter.s system/Encounter.r', undefined],
  [TWO, 'system/Patient.rs', 'system/Encounter.rs'],
  [TWO, 'system/Encounter.rs', 'system/Patient.rs'],
  [TWO, 'system/Patient.rs system/Encounter.r', 'system/Encounter.rs'],
  [TWO, 'system/Patient.rs system/Encounter.rs?class=IMP', 'system/Encounter.rs'],
  [TWO, 'system/Patient.rs user/Encounter.rs', 'system/Encounter.rs'],
]
for (const [scope, granted, lacking] of SCOPES) {
  test(`${String(granted)} grants ${lacking === undefined ? 'both scopes' : `no ${lacking}`}`, async () => {
    const server = serverOf(() => answerWith({ scope: granted }))
    const asked = new BackendToken(server, { clientId: 'c', key, tokenUrl, scope, deployments: [] }).get()
    if (lacking === undefined) assert.equal(await asked, 't')
    else await assert.rejects(asked, { message: `The FHIR server did not grant the scope ${lacking}.` })
  })
}

test('a token that could not be had is asked for again', async () => {
  let asked = 0
  const scope = 'system/Patient.rs'
  const server = serverOf(() => (asked++ === 0 ? Promise.reject(new Error('lost')) : answerWith({ scope })))
  const token = new BackendToken(server, { clientId: 'c', key, tokenUrl, scope, deployments: [] })
  await assert.rejects(token.get(), /lost/)
  assert.deepEqual([await token.get(), await token.get(), asked], ['t', 't', 2])
})

test('a refusal of an earlier token leaves the present one in use', async () => {
  let asked = 0
  const server = serverOf(() => {
    asked++
    return answerWith({ scope: 'system/Patient.rs', access_token: `t${asked}` })
  })
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
