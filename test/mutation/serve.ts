/**
 * * Replaces `test/support/serve.ts` while mutants are tested: bodies go to the scorers of the deployments without a server, so that the
 * tables of the contract judge a mutant in some hundredths of a second. A test that asks for anything else than an answer is
 * skipped.
 */
import { fileURLToPath } from 'node:url'
import { type Catalog, makeDeployments, loadCatalog } from '@patient-risk/catalog'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { AppError } from '@patient-risk/runtime'
import type { Scorer } from 'patient-risk-engine'
import { testClock } from '../support/clock.ts'
import type { Answer, Call } from '../support/exchange.ts'
import type { ServeOptions, Served } from '../support/serve.ts'
import { Skip } from './collect.ts'

export const CLINICAL_ROOT = fileURLToPath(new URL('../../clinical', import.meta.url))
export const SCORE = '/risk/api/do/v0'

let loaded: Catalog | undefined

export function testCatalog(roots: readonly string[] = [CLINICAL_ROOT]): Catalog {
  if (roots.join() !== CLINICAL_ROOT) throw new Skip()
  loaded ??= loadCatalog(roots).catalog
  if (loaded === undefined) throw new Error('the clinical data do not load')
  return loaded
}

function judgeOf(scorer: Scorer, call: string): Scorer['score'] {
  if (call === '') return scorer.score
  return call === '/validate' ? scorer.validate : scorer.explain
}

export function serve({ deployments, clinical, service }: ServeOptions = {}): Promise<Served> {
  if (service !== undefined) throw new Skip()
  const catalog = testCatalog(clinical)
  const made = makeDeployments(catalog, deployments ?? DEFAULT_FILE.deployments).deployments
  const clock = testClock()
  const answer = (body: unknown, path: string): Answer => {
    const [base = '', call = ''] = path.split(SCORE)
    const scorer = made.find(({ basePath }) => basePath === base)?.scorer
    if (scorer === undefined || !path.includes(SCORE)) throw new Skip()
    const bytes = Buffer.from(
      typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    )
    return answerOf(200, judgeOf(scorer, call)(bytes, clock.today()).bytes)
  }
  const post = (body: unknown, { path = SCORE }: Partial<Call> = {}): Promise<Answer> =>
    new Promise((resolve) => {
      try {
        resolve(answer(body, path))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        resolve(answerOf(400, Buffer.from(JSON.stringify({ code: error.code, detail: error.message }))))
      }
    })
  const served: Partial<Served> = { catalog, clock, post, close: () => Promise.resolve() }
  const skip = (): never => {
    throw new Skip()
  }
  return Promise.resolve(Object.assign(served, { get: skip, call: skip, raw: skip }) as Served)
}

function answerOf(status: number, bytes: Uint8Array): Answer {
  const body = Buffer.from(bytes)
  const text = body.toString()
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return { status, headers, body, text, json: () => JSON.parse(text) as unknown }
}
