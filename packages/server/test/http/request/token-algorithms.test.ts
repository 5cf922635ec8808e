/** The algorithms that tokens of calling systems may be signed with: each of them is taken, and no other one is. */
import assert from 'node:assert/strict'
import { type KeyObject, createSecretKey, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { SignJWT } from 'jose'
import { tokenVerifier } from '../../../src/http/request/token-verifier.ts'

const ISSUER = 'https://ehr.example.org'
const AUDIENCE = 'https://risk.example.org/cds-services/readmission'
const NOW_MS = Date.parse('2026-03-15T12:00:00Z')
const NOW_S = NOW_MS / 1_000

interface Pair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}
const rsa: Pair = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const edwards: Pair = generateKeyPairSync('ed25519')
const shared = createSecretKey(Buffer.alloc(64, 1))
const ec = (namedCurve: string): Pair => generateKeyPairSync('ec', { namedCurve })

const ROWS: readonly (readonly [algorithm: string, pair: Pair, isTaken: boolean])[] = [
  ['ES384', ec('P-384'), true],
  ['RS384', rsa, true],
  ['ES256', ec('P-256'), true],
  ['RS256', rsa, true],
  ['PS256', rsa, true],
  ['PS384', rsa, true],
  ['EdDSA', edwards, true],
  ['ES512', ec('P-521'), false],
  ['RS512', rsa, false],
  ['PS512', rsa, false],
  ['HS256', { publicKey: shared, privateKey: shared }, false],
]

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-algorithms-'))
after(() => rmSync(folder, { recursive: true }))
const store = { takeQuota: () => Promise.resolve({ granted: 1 }) } as unknown as Parameters<
  typeof tokenVerifier
>[1]

for (const [algorithm, { publicKey, privateKey }, isTaken] of ROWS) {
  test(`a token of ${algorithm} is ${isTaken ? 'taken' : 'refused'}`, async () => {
    const jwks = join(folder, `${algorithm}.json`)
    writeFileSync(jwks, JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] }))
    const token = await new SignJWT({ iss: ISSUER, aud: AUDIENCE, iat: NOW_S, exp: NOW_S + 60, jti: 'j' })
      .setProtectedHeader({ alg: algorithm, kid: 'k', typ: 'JWT' })
      .sign(privateKey)
    const verified = tokenVerifier([{ issuer: ISSUER, key: 'K', jwks }], store)(token, [AUDIENCE], NOW_MS)
    if (isTaken) assert.equal(await verified, 'K')
    else await assert.rejects(verified, { code: 'KEY_INVALID' })
  })
}
