/** Answers of the engine outside the service, compared with what HTTP answers to the same bodies. */
import assert from 'node:assert/strict'
import { type PackedDeployment } from '../../src/packed.ts'
import type { FieldPlan } from '../../src/plan/plan.ts'
import { makePlan } from '../../src/plan/plan.ts'
import { makeDeployments, packDeployment } from '@patient-risk/catalog'
import { parseJson } from '../../src/read/parse-json.ts'
import { Random } from '../../../../test/support/random.ts'
import { SCORE, type Served, testCatalog } from '../../../../test/support/serve.ts'
import type { Pair } from '../fuzz/deployments.ts'
import { pickLayout, recordText } from '../fuzz/records.ts'
import { withoutFeedDoubts } from './feed-doubts.ts'

/** What answers outside: the texts of the answers, in the order of the bodies. */
export interface Asked {
  readonly packed: PackedDeployment
  readonly call: 'score' | 'explain'
  readonly bodies: readonly string[]
  readonly today: number
}
export type Answerer = (asked: Asked) => Promise<readonly string[]>

const IN_A_BODY = 100
const SEED = 41

/** Bodies that are refused as a whole. */
const REFUSED = ['', '{}', '[1', '[{"idx":1}] x', '[[[[[[[[[[1]]]]]]]]]]'] as const

/** The models of the catalogue, each a deployment under its own id. */
export const DEPLOYMENTS = [...testCatalog().models.values()].map(({ definition: { id, version } }) => ({
  name: id,
  basePath: `/${id}`,
  model: `${id}@${version}`,
  output: 'number' as const,
}))

/** Asks both for good and faulty records of one model. Returns how many records were compared, and how many of them were scored. */
export async function compareWithHttp(
  served: Served,
  answer: Answerer,
  name: string,
  records: number,
): Promise<{ readonly compared: number; readonly scored: number }> {
  const catalog = testCatalog()
  const { deployments } = makeDeployments(
    catalog,
    DEPLOYMENTS.filter((each) => each.name === name),
  )
  const [deployment] = deployments
  assert.ok(deployment !== undefined, name)
  const packed = JSON.parse(JSON.stringify(packDeployment(catalog, deployment))) as PackedDeployment
  const bodies = [...bodiesFor(deployment.model.definition.id, records), ...REFUSED]
  const today = served.clock.today()
  let scored = 0
  for (const [call, path] of [
    ['score', SCORE],
    ['explain', `${SCORE}/explain`],
  ] as const) {
    const outside = await answer({ packed, call, bodies, today })
    assert.equal(outside.length, bodies.length)
    for (const [at, body] of bodies.entries()) {
      const { status, text, headers } = await served.post(body, { path: `/${name}${path}` })
      const alone = withoutFeedDoubts(text, headers['risk-feed-doubt']?.toString())
      const expected = status === 200 ? alone : (JSON.parse(text) as { readonly code: string }).code
      assert.equal(outside[at], expected, `${name}, ${call}, body ${at}`)
      if (call === 'score' && status === 200) scored += expected.split('"error_message":null').length - 1
    }
  }
  return { compared: records, scored }
}

function bodiesFor(id: string, records: number): readonly string[] {
  const { definitions, models } = testCatalog()
  const model = [...models.values()].find(({ definition }) => definition.id === id)?.definition
  assert.ok(model !== undefined)
  const plan = makePlan(definitions, model)
  const byScale = Map.groupBy(
    plan.fields.filter(({ scale }) => scale >= 0),
    ({ scale }) => scale,
  )
  const fieldsByScale: readonly (readonly FieldPlan[])[] = [...byScale.values()]
  const pair = { name: id, model, plan, fieldsByScale } as unknown as Pair
  const random = new Random(SEED)
  const bodies: string[] = []
  for (let first = 0; first < records; first += IN_A_BODY) {
    const layout = pickLayout(random, false)
    const count = Math.min(IN_A_BODY, records - first)
    const texts = Array.from({ length: count }, (_, at) =>
      wellFormed(() => recordText(random, pair, first + at, layout)),
    )
    bodies.push(`[${texts.join(`,${layout.afterComma}`)}]`)
  }
  return bodies
}

/** The first text that is JSON: a malformed record refuses its whole body, and these are compared apart. */
function wellFormed(make: () => string): string {
  for (;;) {
    const text = make()
    try {
      parseJson(text)
      return text
    } catch {
      // The next one is another.
    }
  }
}
