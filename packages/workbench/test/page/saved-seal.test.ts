/** The encryption of a saved list, without a browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seal, unseal } from '../../src/list/saved/seal.ts'
import { SavedFault } from '../../src/list/saved/saved-fault.ts'

const TEXT = '{"rows":[["H-1042","84"]],"note":"áé"}'
const sealed = join(await seal(TEXT, 'contraseña larga'))

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts))
}

/** The same file with another first line, and the checksum that belongs to it. */
async function withHeader(changed: object): Promise<Uint8Array<ArrayBuffer>> {
  const end = sealed.indexOf(10)
  const header = JSON.parse(Buffer.from(sealed.slice(0, end)).toString()) as object
  const line = Buffer.from(`${JSON.stringify({ ...header, ...changed })}\n`)
  const file = join([line, sealed.slice(end + 1, -32)])
  return join([file, new Uint8Array(await crypto.subtle.digest('SHA-256', file))])
}

function changedAt(place: number): Uint8Array<ArrayBuffer> {
  const bytes = sealed.slice()
  bytes[place] = (bytes[place] ?? 0) ^ 1
  return bytes
}

const refused = (
  bytes: Uint8Array<ArrayBuffer>,
  passphrase: string,
  reason: SavedFault['reason'],
): Promise<void> =>
  assert.rejects(unseal(bytes, passphrase), (error) => error instanceof SavedFault && error.reason === reason)

test('a sealed list opens with its passphrase, however the keyboard composes it', async () => {
  assert.equal(await unseal(sealed, 'contraseña larga'.normalize('NFD')), TEXT)
})

test('nothing of the list can be read in the file', () => {
  assert.ok(!Buffer.from(sealed).toString('latin1').includes('H-1042'))
})

test('another passphrase is named as such', () => refused(sealed, 'contraseña corta', 'wrong'))

test('one changed bit of the line, of the text or of the checksum is damage, not a wrong passphrase', async () => {
  for (const place of [3, sealed.length - 40, sealed.length - 1])
    await refused(changedAt(place), 'contraseña larga', 'damaged')
})

test('a file that was cut short is damaged', () =>
  refused(sealed.slice(0, -1), 'contraseña larga', 'damaged'))

const HEADERS: readonly (readonly [what: string, changed: object, reason: SavedFault['reason']])[] = [
  ['another version', { version: 2 }, 'version'],
  ['fewer rounds than any version has written', { iterations: 599_999 }, 'damaged'],
  ['no rounds', { iterations: undefined }, 'damaged'],
  ['rounds as a text', { iterations: '600000' }, 'damaged'],
  ['more rounds than the page would bear', { iterations: 2_000_001 }, 'version'],
  // It is authenticated with the text: nobody can change it unnoticed, with the right checksum or not.
  ['another format in the line', { format: 'x' }, 'wrong'],
]

for (const [what, changed, reason] of HEADERS) {
  test(`${what}: ${reason}`, async () => refused(await withHeader(changed), 'contraseña larga', reason))
}
