/** Records of a deployment as text: its inputs, whole scales with their totals, other fields, in any order and layout. */
import type { FieldPlan } from '../../src/plan/plan.ts'
import type { Pair } from './deployments.ts'
import type { Random } from '../../../../test/support/random.ts'
import { numberText, rightText, valueText } from './values.ts'

/** How a caller lays out JSON. */
export interface Layout {
  readonly afterColon: string
  readonly afterComma: string
  readonly inside: string
}

const LAYOUTS: readonly Layout[] = [
  { afterColon: '', afterComma: '', inside: '' },
  { afterColon: ' ', afterComma: ' ', inside: '' },
  { afterColon: ' ', afterComma: '\t', inside: ' ' },
]
const LOOSE: Layout = { afterColon: ' ', afterComma: '\n  ', inside: '\r\n' }

const FIGURES = ['_total', '_screening', '_assessment', '_balance', '_gait']
const STRANGE_NAMES = [
  'patient',
  'Age',
  'AGE',
  'barthel_chairTransfer',
  '__proto__',
  'constructor',
  'a',
  'mna_',
  '_total',
  'größe',
  'n'.repeat(64),
  'n'.repeat(65),
] as const
const STRANGE_VALUES = [
  ...[
    '1',
    '-0',
    '1.50',
    '2e3',
    '"x"',
    '""',
    '"a b"',
    '"ü"',
    '"\\n"',
    'null',
    'true',
    'false',
    '{"b":2}',
    '[]',
  ],
  `"${'v'.repeat(90)}"`,
] as const
const STRANGE_COUNTS = [1, 1, 1, 2, 3, 9] as const
const STRANGE_IDXS = [
  'null',
  '-3',
  '1.0',
  '1e1',
  '"1"',
  '9007199254740991',
  '9007199254740992',
  '-0',
  '00',
  'true',
]

export function recordText(random: Random, pair: Pair, idx: number, layout: Layout): string {
  const members = fieldsOf(random, pair)
  if (!random.chance(0.01))
    members.push(['idx', random.chance(0.02) ? random.pick(STRANGE_IDXS) : String(idx)])
  // Mostly one strange name, sometimes many, some of them twice.
  for (let names = random.chance(0.05) ? random.pick(STRANGE_COUNTS) : 0; names > 0; names--)
    members.push([random.pick(STRANGE_NAMES), random.pick(STRANGE_VALUES)])
  if (random.chance(0.02)) members.push(random.pick(members))
  if (random.chance(0.7)) members.reverse()
  if (random.chance(0.1)) shuffle(random, members)
  const written = members.map(([name, value]) => `${keyText(random, name)}:${layout.afterColon}${value}`)
  return `{${layout.inside}${written.join(`,${layout.afterComma}`)}${layout.inside}}`
}

export function pickLayout(random: Random, isOneLine: boolean): Layout {
  return !isOneLine && random.chance(0.1) ? LOOSE : random.pick(LAYOUTS)
}

/** Names and values of a record. Names repeat now and then, where two scales or the inputs meet. */
function fieldsOf(random: Random, pair: Pair): [string, string][] {
  const { plan, model } = pair
  const texts = new Map<string, string>()
  for (const name of Object.keys(model.inputs)) {
    const field = plan.fields[plan.slotByName.get(name) as number] as FieldPlan
    if (!random.chance(0.02)) texts.set(name, valueText(random, field))
  }
  for (let scales = random.below(3); scales > 0; scales--) addScale(random, pair, texts)
  for (let others = random.below(8); others > 0; others--) {
    const field = random.pick(plan.fields)
    if (random.chance(0.5)) texts.set(field.name, valueText(random, field))
  }
  return [...texts]
}

/** Items of one scale, and sometimes their sum; often right, sometimes not. */
function addScale(random: Random, { fieldsByScale }: Pair, texts: Map<string, string>): void {
  const fields = random.pick(fieldsByScale)
  const isWhole = random.chance(0.6)
  let sum = 0
  for (const field of fields) {
    const { name, domain } = field
    if (domain.kind !== 'list' || isFigure(name)) {
      if (random.chance(0.1)) texts.set(name, valueText(random, field))
    } else if (isWhole || random.chance(0.5)) {
      const value = random.pick(domain.values)
      const text = random.chance(0.005) ? valueText(random, field) : numberText(random, value)
      texts.set(name, text)
      sum += value
    }
  }
  const total = fields.find(({ name }) => name.endsWith('_total'))
  if (total === undefined || random.chance(0.4)) return
  const isRight = random.chance(0.95)
  texts.set(total.name, isRight ? String(Math.round(sum * 1000) / 1000) : rightText(random, total.domain))
}

function isFigure(name: string): boolean {
  return FIGURES.some((figure) => name.endsWith(figure))
}

/** A key, rarely with an escape for one of its letters. */
function keyText(random: Random, name: string): string {
  if (!random.chance(0.003)) return `"${name}"`
  const place = random.below(name.length)
  const code = name.charCodeAt(place).toString(16).padStart(4, '0')
  return `"${name.slice(0, place)}\\u${code}${name.slice(place + 1)}"`
}

function shuffle(random: Random, list: unknown[]): void {
  for (let last = list.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    ;[list[last], list[other]] = [list[other], list[last]]
  }
}
