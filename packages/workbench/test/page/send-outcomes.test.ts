// Own process: the window of a browser is put into the global object.
/** The name of a part of a file of outcomes: the same part has the same one, and nothing else has it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { keyOfPart } from '../../src/outcomes/send-outcomes.ts'
import type { Columns } from '../../src/outcomes/read-outcomes.ts'

const page = { isSecureContext: true }
before(() => Object.assign(globalThis, { window: page }))
after(() => Reflect.deleteProperty(globalThis, 'window'))

type Part = readonly [file: string, columns: Columns, deployment: string, from: number]
const PART: Part = ['outcome;risk', { outcome: 0, risk: 1 }, 'north', 0]

const nameOf = ([file, ...meaning]: Part): Promise<string | undefined> =>
  keyOfPart(new TextEncoder().encode(file), ...meaning)

const OTHERS: readonly (readonly [what: string, part: Part])[] = [
  ['another file', ['outcome;risk\n', PART[1], 'north', 0]],
  ['another meaning of the columns', [PART[0], { outcome: 1, risk: 0 }, 'north', 0]],
  ['one column more', [PART[0], { ...PART[1], group: 2 }, 'north', 0]],
  ['another deployment', [PART[0], PART[1], 'south', 0]],
  ['the next part', [PART[0], PART[1], 'north', 1_000]],
]

test('a part that is sent again has the name of the first time, which a header takes', async () => {
  const name = await nameOf(PART)
  assert.equal(await nameOf(PART), name)
  assert.match(name ?? '', /^page-[0-9a-f]{64}$/)
})

for (const [what, part] of OTHERS) {
  test(`${what} has another name`, async () => {
    assert.notEqual(await nameOf(part), await nameOf(PART))
  })
}

test('without a digest of the browser there is no name, and the service goes by the body', async (t) => {
  t.after(() => (page.isSecureContext = true))
  page.isSecureContext = false
  assert.equal(await nameOf(PART), undefined)
})
