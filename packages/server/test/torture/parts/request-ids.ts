/** Request ids: callers write record numbers into X-Request-Id. Readers of log and audit must not find them by trying all numbers. */
import { hash } from 'node:crypto'
import { makeSeal, sealRequestId } from '@patient-risk/runtime'
import { exchange } from '../../../../../test/support/exchange.ts'
import { SCORE } from '../../../../../test/support/serve.ts'
import { auditCommand, auditTrial } from '../audit-trial.ts'
import { type Part, type Trial, type Verdict, randomFrom } from '../part.ts'

const IDS = 100
const NUMBERS = 1_000_000
/** Characters of a hash that are compared: a million numbers agree in so many by chance about never. */
const COMPARED = 12

export const part: Part = {
  name: 'request-ids',
  promise:
    '100 record numbers as request ids: none is found in log or audit by trying a million numbers without the secret',
  defect: 'the seal does not depend on the secret of the server',
  shortScale: 0.05,
  run,
}

function run({ seed, scale, planted }: Trial): Promise<Verdict> {
  const random = randomFrom(seed)
  const range = Math.ceil(NUMBERS * scale)
  const plant = planted ? 'unkeyed-seal' : undefined
  return auditTrial({ plant }, async ({ service, key, dataDir, faults }) => {
    for (let count = 0; count < Math.ceil(IDS * scale); count++) {
      const id = idOf(Math.floor(random() * range))
      const headers = { authorization: `Bearer ${key}`, 'x-request-id': id }
      const answer = await exchange(service.origin, { method: 'POST', path: SCORE, headers, body: '[]' })
      if (answer.headers['x-request-id'] !== id) faults.push('the caller did not get its id back')
    }
    const text = `${service.printed()}\n${(await auditCommand(dataDir, ['export'])).output}`
    if (!text.includes('"requestId":"sealed-')) faults.push('the audit names no sealed request id')
    // Every text of letters and digits that could be a hash, or its beginning.
    const words = new Set(
      [...text.matchAll(/[\w+/=-]{12,}/g)].map(([word]) => word.replace('sealed-', '').slice(0, COMPARED)),
    )
    const guess = makeSeal(new Uint8Array())
    for (let number = 0; number < range; number++) {
      const id = idOf(number)
      const forms = [id, ...plainHashes(id), sealRequestId(guess, id).replace('sealed-', '')]
      if (text.includes(id) || forms.some((form) => words.has(form.slice(0, COMPARED)))) {
        faults.push(`a request id was found by trying ${number + 1} numbers`)
        break
      }
    }
    return { tried: range }
  })
}

const idOf = (number: number): string =>
  `MRN-${String(number).padStart(6, '0')}-${String(number).padStart(6, '0')}`

function plainHashes(id: string): readonly string[] {
  return (['hex', 'base64', 'base64url'] as const).map((encoding) => hash('sha256', id, encoding))
}
