/** Peers are compared with the service only if they give its answers: a server that computes something else is no peer. */
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Server } from './server-process.ts'

interface Result {
  readonly idx: unknown
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
    const [theirs, ours] = [answer[at], expected[at]].map((result) => JSON.stringify(result))
    throw new Error(`${server.name} answers ${theirs}, and ${first.name} ${ours}`)
  }
}

export async function answersOf(
  { port, path, key, name }: Server,
  body: Uint8Array<ArrayBuffer>,
): Promise<readonly Result[]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })
  if (response.status !== 200) throw new Error(`${name} answers with status ${response.status}`)
  return (await response.json()) as readonly Result[]
}
