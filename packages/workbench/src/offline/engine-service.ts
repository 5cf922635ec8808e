/** The calls of the page, answered by the engine in the page: the same paths, statuses and texts as those of the service. */
import { type Call, compile } from 'patient-risk-engine'
import { EngineError } from 'patient-risk-engine/read'
import { callOf } from '../api.ts'
import { serviceDay } from '../service-clock.ts'
import type { Service } from '../service.ts'
import type { KeySummary } from '../shapes/answers.ts'
import type { Tree } from '../shapes/model.ts'
import type { OfflineData } from './offline-data.ts'

const SCORING: Readonly<Record<string, Call>> = {
  '': 'score',
  '/validate': 'validate',
  '/explain': 'explain',
}
/** Of those refusals that are not 400. */
const STATUSES: Readonly<Record<string, number>> = { TOO_MANY_RECORDS: 413 }
const TREE = /^\/model\/trees\/(\d+)$/

/** Throws a PackError where the packed deployment was changed. */
export function engineService(data: OfflineData): Service {
  const { packed, summary } = data
  const compiled = compile(packed)
  const digest = `sha-256=:${compiled.digest}:`
  // The texts about a deployment would not be those of the one that answers.
  if ([summary.digest, data.model.deployment.digest, data.fields.digest].some((each) => each !== digest))
    throw new Error('The parts of this page belong to different deployments. Make it again.')
  const headers = { 'content-type': 'application/json; charset=utf-8', 'risk-deployment-digest': digest }
  const send = (body: string | Uint8Array<ArrayBuffer>, status = 200): Response =>
    new Response(body, { status, headers })
  const refuse = (status: number, code: string, detail = ''): Response =>
    send(JSON.stringify({ code, detail }), status)

  const score = (call: Call, { body, headers: asked }: RequestInit): Response => {
    const wanted = new Headers(asked).get('if-match')
    if (wanted !== null && wanted !== `"${compiled.digest}"`) return refuse(412, 'DEPLOYMENT_CHANGED')
    const bytes = new TextEncoder().encode(typeof body === 'string' ? body : '')
    const today = Number(serviceDay(compiled.timeZone).split('-').reverse().join(''))
    try {
      return send(new Uint8Array(compiled.bytes[call](bytes, today)))
    } catch (error) {
      if (error instanceof EngineError) return refuse(STATUSES[error.code] ?? 400, error.code, error.detail)
      // Asking again would fail again: this is no service that was not reached.
      reportError(error)
      return refuse(500, 'INTERNAL')
    }
  }

  const about: Readonly<Record<string, string | undefined>> = {
    '/workbench/languages.json': JSON.stringify([
      { language: 'en', name: 'English' },
      ...data.languages.map(({ language, name }) => ({ language, name })),
    ]),
    ...Object.fromEntries(
      data.languages.map((pack) => [`/workbench/languages/${pack.language}.json`, JSON.stringify(pack)]),
    ),
    '/deployments': JSON.stringify(summaryOf(data)),
    [callOf(summary.basePath, '/model')]: JSON.stringify(data.model),
    [callOf(summary.basePath, '/fields')]: JSON.stringify(data.fields),
    [callOf(summary.basePath, '/model/report')]: data.report?.json,
    [callOf(summary.basePath, '/model/report.html')]: data.report?.html,
  }

  const answer = (address: string, request: RequestInit): Response => {
    const [path = ''] = address.split('?')
    const known = about[path]
    if (known !== undefined) return send(known)
    const start = callOf(summary.basePath, '')
    const name = path.startsWith(start) ? path.slice(start.length) : path
    const call = SCORING[name]
    if (call !== undefined && request.method === 'POST') return score(call, request)
    const tree = treeOf(data, Number(TREE.exec(name)?.[1]))
    return tree === undefined ? refuse(404, 'NOT_FOUND') : send(JSON.stringify(tree))
  }

  return {
    offline: { made: data.made },
    async fetch(path, request = {}) {
      // The browser draws and takes clicks in between: a long list shows how far it is, and can be cancelled.
      await new Promise((resolve) => setTimeout(resolve))
      request.signal?.throwIfAborted()
      return answer(path, request)
    },
  }
}

/** Nobody signs in, and nobody manages anything. */
function summaryOf({ summary }: OfflineData): KeySummary {
  const key = { id: '', name: '', expires: null }
  return { key, admin: false, idleLockMinutes: 0, deployments: [summary], outcomes: [] }
}

/** A tree of the model by its number from 1. The card has only few of them. */
function treeOf({ packed }: OfflineData, number: number): Tree | undefined {
  const trees = packed.model.terms.flatMap((term) => (term.kind === 'trees' ? term.trees : []))
  const nodes = trees[number - 1]
  return nodes && { number, nodes }
}
