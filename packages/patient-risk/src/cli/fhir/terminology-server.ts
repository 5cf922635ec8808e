/** A terminology server of FHIR R4: translates codes (`ConceptMap/$translate`) and lists those of value sets (`ValueSet/$expand`). */
import { isCut } from '@patient-risk/catalog'
import { FetchFailed, RemoteServer, upTo } from '@patient-risk/server/adapters'
import { EngineError, type Json, inside, isObject, listOf, parseBody, textOf } from 'patient-risk-engine/read'

/** What a request may take, with the waits that the server asks for. */
const REQUEST_MS = 120_000
const MOST_BYTES = 512 * 1024 * 1024
const PAGE_CODES = 1_000
const MOST_CODES = 500_000

/** One code that the server gives for another, as R4 names its parts. */
export interface Match {
  readonly system: string
  readonly code: string
  readonly display?: string | undefined
  /** Without one the relation is not known. */
  readonly equivalence: string
  /** Whether the match holds only together with something else. */
  readonly isBound: boolean
}

export interface ListedCode {
  readonly system: string
  readonly code: string
  readonly display?: string | undefined
}

export class TerminologyServer {
  private readonly server: RemoteServer
  private readonly token: string | undefined
  private readonly take = upTo(MOST_BYTES)

  constructor(url: string, token?: string) {
    // The operator has typed the address, so that it may be a private one.
    this.server = new RemoteServer({ url, internal: true })
    this.token = token
  }

  /** Everything that the server gives for a code. Empty where it knows no translation. */
  async translate(
    code: string,
    { system, target, map }: { readonly system: string; readonly target: string; readonly map?: string },
  ): Promise<readonly Match[]> {
    const query = { system, code, targetsystem: target, ...(map !== undefined && { url: map }) }
    const answer = await this.ask('ConceptMap/$translate', query, 'Parameters')
    const parameters = listOf(answer['parameter'])
    const result = parameters.find((each) => inside(each, 'name') === 'result')
    // What it lists then is no translation.
    if (inside(result, 'valueBoolean') === false) return []
    return parameters.filter((each) => inside(each, 'name') === 'match').map(matchIn)
  }

  /** All codes of a value set, page by page. */
  async expand(valueSet: string): Promise<readonly ListedCode[]> {
    const codes: ListedCode[] = []
    const seen = new Set<string>()
    let nodes = 0
    let total: unknown
    for (;;) {
      const query = { url: valueSet, offset: String(nodes), count: String(PAGE_CODES) }
      const answer = await this.ask('ValueSet/$expand', query, 'ValueSet')
      const expansion = isObject(answer['expansion']) ? answer['expansion'] : {}
      refusePart(expansion, nodes)
      if (nodes === 0) total = expansion['total']
      else if (expansion['total'] !== total) throw new FetchFailed(`${valueSet} changed while it was read.`)
      const page = nodesIn(expansion['contains'])
      for (const node of page) {
        if (node['abstract'] === true) continue
        const code = codeIn(node)
        if (seen.has(`${code.system}|${code.code}`))
          throw new FetchFailed('The server gave a code twice: it does not give pages.')
        seen.add(`${code.system}|${code.code}`)
        codes.push(code)
      }
      nodes += page.length
      if (nodes > MOST_CODES) throw new FetchFailed(`${valueSet} has more than ${MOST_CODES} codes.`)
      // A server may give shorter pages than it was asked for: without a total, only an empty one is the last.
      const isLast = typeof total === 'number' ? nodes >= total : page.length === 0
      if (isLast) return codes
      if (page.length === 0)
        throw new FetchFailed(`The server gave fewer codes than the total of ${valueSet}.`)
    }
  }

  private async ask(path: string, query: Readonly<Record<string, string>>, type: string): Promise<Json> {
    const url = new URL(path, this.server.base)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const bytes = await this.server.call(url, {
      signal: AbortSignal.timeout(REQUEST_MS),
      endsAt: Date.now() + REQUEST_MS,
      token: this.token,
      take: this.take,
    })
    const value = parsed(bytes)
    if (!isObject(value) || value['resourceType'] !== type)
      throw new FetchFailed(`The server did not answer ${path} with ${type}.`)
    return value
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseBody(bytes)
  } catch (error) {
    if (error instanceof EngineError) return undefined
    throw error
  }
}

/** The words of R5, which some servers write under R4 too, read from the source to the target as in R4. */
const R5_WORDS: Readonly<Record<string, string>> = {
  'related-to': 'relatedto',
  'source-is-narrower-than-target': 'wider',
  'source-is-broader-than-target': 'narrower',
  'not-related-to': 'disjoint',
}

/** Without a word the relation is not known. */
function equivalenceIn(...parts: readonly unknown[]): string {
  const [word = 'relatedto'] = parts.flatMap(
    (each) => textOf(inside(each, 'valueCode')) ?? textOf(inside(each, 'valueString')) ?? [],
  )
  return Object.hasOwn(R5_WORDS, word) ? (R5_WORDS[word] ?? word) : word
}

function matchIn(parameter: unknown): Match {
  const parts = listOf(inside(parameter, 'part'))
  const part = (name: string): unknown => parts.find((each) => inside(each, 'name') === name)
  const concept = inside(part('concept'), 'valueCoding')
  return {
    system: textOf(inside(concept, 'system')) ?? '',
    code: textOf(inside(concept, 'code')) ?? '',
    display: textOf(inside(concept, 'display')),
    equivalence: equivalenceIn(part('equivalence'), part('relationship')),
    isBound: part('product') !== undefined || part('dependsOn') !== undefined,
  }
}

function codeIn({ system, code, display }: Json): ListedCode {
  if (typeof system !== 'string' || typeof code !== 'string')
    throw new FetchFailed('The server listed something without a system or a code.')
  return { system, code, display: textOf(display) }
}

/** The nodes of an expansion, which may be a hierarchy. */
function nodesIn(contains: unknown): readonly Json[] {
  return listOf(contains).flatMap((node) => (isObject(node) ? [node, ...nodesIn(node['contains'])] : []))
}

/** Throws for a page that is not the one that was asked for, and for an expansion that the server has cut. */
function refusePart(expansion: Json, offset: number): void {
  if (isCut(expansion))
    throw new FetchFailed('The server says that its expansion is a part of the value set only.')
  if (typeof expansion['offset'] === 'number' && expansion['offset'] !== offset)
    throw new FetchFailed('The server gave another page than the one that was asked for.')
}
