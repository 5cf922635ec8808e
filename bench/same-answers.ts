/** Peers are measured only if they do the work: they give the answers of the service, and notice wrong values. */
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Server } from './server-process.ts'

interface Result {
  readonly idx: unknown
  readonly risk: unknown
  readonly error_message: unknown
}

/** Sends a body to each server. Throws where an answer is not that of the first server. */
export async function requireSameAnswers(servers: readonly Server[], bodyFile: string): Promise<void> {
  const body = readFileSync(bodyFile)
  const [first, ...others] = servers
  if (first === undefined) return
  const expected = await answersOf(first, body)
  for (const server of others) {
    const answer = await answersOf(server, body)
    const at = expected.findIndex((result, index) => !isDeepStrictEqual(result, answer[index]))
    if (at < 0 && answer.length === expected.length) continue
    const theirs = JSON.stringify(answer[at])
    const ours = JSON.stringify(expected[at])
    throw new Error(`${server.name} answers ${theirs}, and ${first.name} ${ours}`)
  }
}

const RIGHT = { idx: 1, age: 80, sex: 'F', inpatientAdmissions: 1, emergencyAdmissions: 0, stayDays: 7 }
const WRONG: readonly object[] = [
  { age: 480 },
  { age: '80' },
  { sex: 'female' },
  { stayDays: 2.5 },
  { haemoglobin: 99 },
  { barthel_feeding: 7 },
  { mna_proteinMarkers: 0.25 },
  { braden_date: '2025-03-14' },
]

/** Sends records with one wrong value each. Throws where a server gives a risk and reports nothing. */
export async function requireChecks(servers: readonly Server[]): Promise<void> {
  for (const server of servers) {
    for (const wrong of WRONG) {
      const response = await post(server, Buffer.from(JSON.stringify([{ ...RIGHT, ...wrong }])))
      if (response.status !== 200) continue
      const [result] = (await response.json()) as readonly Result[]
      if (result?.error_message === null && result.risk !== null)
        throw new Error(`${server.name} does not check ${JSON.stringify(wrong)}`)
    }
  }
}

export async function answersOf(server: Server, body: Uint8Array<ArrayBuffer>): Promise<readonly Result[]> {
  const response = await post(server, body)
  if (response.status !== 200) throw new Error(`${server.name} answers with status ${response.status}`)
  return (await response.json()) as readonly Result[]
}

function post({ port, path, key }: Server, body: Uint8Array<ArrayBuffer>): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })
}
