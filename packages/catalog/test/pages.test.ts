/**
 * The pages of scales and models are read back and compared with the clinical files. The pages in docs/ come from the same generator
 * as a fresh one, so to compare these two would not find a fault of the generator.
 */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pageFiles } from '../../../scripts/docs.ts'

interface Band {
  readonly from?: number
  readonly above?: number
  readonly to?: number
  readonly below?: number
}

interface Item {
  readonly label: string
  readonly values: readonly number[]
}

interface Measure {
  readonly label: string
  readonly from: number
  readonly to: number
  readonly step: number
  readonly unit: string
}

interface Scheme {
  readonly scheme: string
  readonly bands: readonly (Band & { readonly label: string })[]
}

interface Origin {
  readonly id: string
  readonly version: number | string
  readonly title: string
  readonly source: { readonly cite: string; readonly links?: readonly string[] }
  readonly licence: { readonly status: string; readonly shipped: string }
}

interface Scale extends Origin {
  readonly purpose: string
  readonly items: Readonly<Record<string, Item>>
  readonly measures?: Readonly<Record<string, Measure>>
  readonly bands?: readonly Scheme[]
  readonly variants?: readonly string[]
  readonly redFlags?: readonly { readonly text: string; readonly source: string }[]
}

interface Term {
  readonly kind: string
  readonly label: string
  readonly field?: string
  readonly points?: number | Readonly<Record<string, number>>
  readonly bands?: readonly (Band & { readonly points: number })[]
  readonly below?: Readonly<Record<string, number>>
  readonly coefficient?: number
  readonly per?: number
  readonly plus?: number
}

interface Link {
  readonly kind: string
  readonly from?: number
  readonly risks?: readonly number[]
  readonly strata?: readonly { readonly from: number; readonly to: number; readonly risk: number }[]
  readonly intercept?: number
  readonly baseline?: number
  readonly rate?: number
}

interface Model extends Origin {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly terms: readonly Term[]
  readonly link: Link
  readonly threshold?: { readonly risk: number; readonly score?: number; readonly published: boolean }
  readonly card: {
    readonly outcome: string
    readonly horizonDays: number
    readonly competing?: string
    readonly limits: readonly string[]
    readonly discrimination: readonly { readonly cStatistic?: number | string }[]
  }
}

const PAGES = pageFiles()

function definitions(kind: 'scales' | 'models'): readonly unknown[] {
  return readdirSync(join('clinical', kind)).map((name) => {
    const id = name.split('@')[0] ?? name
    return JSON.parse(readFileSync(join('clinical', kind, name, `${id}.json`), 'utf8')) as unknown
  })
}

function pageOf(kind: 'scales' | 'models', id: string): string {
  const page = PAGES.get(`docs/${kind}/${id}.md`)
  assert.ok(page !== undefined, `${id} has a page`)
  return page
}

/** What is under a heading, up to the next one of the same or a higher level; empty where the heading is not there. */
function under(page: string, heading: string): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 0
  const [, after = ''] = `\n${page}`.split(`\n${heading}\n`)
  return after.split(new RegExp(`^#{1,${level}} `, 'm'))[0] ?? ''
}

/** Rows of the tables of a text, each as its cells; without the head and the rule below it. */
function rowsIn(text: string): readonly (readonly string[])[] {
  const rows: (readonly string[])[] = []
  let isBody = false
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) isBody = false
    else if (/^\| -+ /.test(line)) isBody = true
    else if (isBody)
      rows.push(
        line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
  }
  return rows
}

/** Lines of prose may be wrapped anywhere. */
const unwrapped = (text: string): string =>
  text.replaceAll(/\n(?:> | {2})?(?=\S)/g, ' ').replaceAll(/ +/g, ' ')

function says(page: string, ...texts: readonly (string | undefined)[]): void {
  const whole = unwrapped(page)
  for (const text of texts) assert.ok(text === undefined || whole.includes(unwrapped(text)), text)
}

/** "4 to 6", "14 or more", "above 3 to below 5" as the limits that they state. */
function bandIn(words: string): Band {
  const [, above, lower, or, below, upper] =
    /^(?:(above )?(-?[\d.]+))?(?: (or (?:more|less)))?(?: to )?(?:(below )?(-?[\d.]+))?$/.exec(words) ?? []
  const start = or === 'or less' ? undefined : lower
  const end = or === 'or less' ? lower : upper
  const isSingle = start !== undefined && end === undefined && above === undefined && or === undefined
  if (isSingle) return { from: Number(start), to: Number(start) }
  return {
    ...(start !== undefined && { [above === undefined ? 'from' : 'above']: Number(start) }),
    ...(end !== undefined && { [below === undefined ? 'to' : 'below']: Number(end) }),
  }
}

const WORDS: readonly (readonly [words: string, band: Band])[] = [
  ['4', { from: 4, to: 4 }],
  ['4 to 6', { from: 4, to: 6 }],
  ['-2 to 6.5', { from: -2, to: 6.5 }],
  ['14 or more', { from: 14 }],
  ['3 or less', { to: 3 }],
  ['above 3', { above: 3 }],
  ['below 3', { below: 3 }],
  ['above 3 to below 5', { above: 3, below: 5 }],
  ['3 to below 5', { from: 3, below: 5 }],
  ['above 3 to 5', { above: 3, to: 5 }],
  ['any', {}],
]

for (const [words, band] of WORDS) {
  test(`this test reads the band “${words}”`, () => assert.deepEqual(bandIn(words), band))
}

/** A risk of a page, such as "12.2 %"; two decimals are printed. */
function isRisk(shown: string | undefined, risk: number): void {
  const percent = Number(/^([\d.]+) %$/.exec(shown ?? '')?.[1])
  assert.ok(Math.abs(percent - 100 * risk) <= 0.005 + 1e-9, `${shown} for ${risk}`)
}

for (const scale of definitions('scales') as readonly Scale[]) {
  test(`the page of the scale ${scale.id} states what its file states`, () => {
    const page = pageOf('scales', scale.id)
    assert.deepEqual(
      rowsIn(under(page, '## Items')).map((cells) => cells.slice(0, 3)),
      Object.entries(scale.items).map(([name, { label, values }]) => [
        `\`${scale.id}_${name}\``,
        label,
        values.join(', '),
      ]),
    )
    assert.deepEqual(
      rowsIn(under(page, '## Measures')).map((cells) => cells.slice(0, 4)),
      Object.entries(scale.measures ?? {}).map(([name, { label, from, to, step, unit }]) => [
        `\`${scale.id}_${name}\``,
        label,
        `${from} to ${to} in steps of ${step}`,
        unit,
      ]),
    )
    const bands = rowsIn(under(page, '## Bands')).map(([range = '', label]) => ({ ...bandIn(range), label }))
    assert.deepEqual(
      bands,
      (scale.bands ?? []).flatMap((each) => each.bands),
    )
    says(page, `# ${scale.title}\n`, scale.purpose, ...(scale.variants ?? []))
    const flags = (scale.redFlags ?? []).map(({ text, source }) => `: ${text} (${source})`)
    says(under(page, '## Items that ask for action'), ...flags)
    saysOrigin(page, scale)
  })
}

function saysOrigin(page: string, { id, version, source, licence }: Origin): void {
  const facts = new Map(rowsIn(page).map(([name = '', value = '']) => [name, value]))
  assert.deepEqual([facts.get('Name'), facts.get('Version')], [`\`${id}\``, String(version)])
  says(page, source.cite, licence.status, `Shipped: ${licence.shipped}`, ...(source.links ?? []))
}

for (const model of definitions('models') as readonly Model[]) {
  test(`the page of the model ${model.id} states what its file states`, () => {
    const page = pageOf('models', model.id)
    const points = under(page, '## Points')
    for (const term of model.terms) comparePoints(under(points, `### ${term.label}`), term)
    compareRisks(under(page, '## From score to risk'), model.link)
    assert.deepEqual(
      rowsIn(under(page, '## Inputs')).map(([field]) => field),
      Object.keys(model.inputs).map((field) => `\`${field}\``),
    )
    assert.deepEqual(
      rowsIn(under(page, '## Discrimination')).map(([, figure]) => figure),
      model.card.discrimination.map(({ cStatistic = 'not found' }) => String(cStatistic)),
    )
    if (model.threshold !== undefined) {
      const { risk, score, published } = model.threshold
      const line = unwrapped(under(page, '## Threshold and what it costs'))
      isRisk(/Yes from a risk of ([\d.]+ %)/.exec(line)?.[1], risk)
      assert.equal(/a score of ([\d.-]+?)\. /.exec(line)?.[1], score?.toString())
      assert.equal(line.includes('**Ours, not published.**'), !published)
    }
    const { horizonDays, outcome, limits } = model.card
    const horizon = new Map(rowsIn(page).map(([name = '', value]) => [name, value])).get('Horizon') ?? ''
    const [count, unit] = horizon.split(' ')
    const days = Number(count) * (unit === 'days' ? 1 : 365.25)
    assert.ok(Math.abs(days - horizonDays) <= 1, horizon)
    says(page, `# ${model.title}\n`, outcome, ...limits)
    saysOrigin(page, model)
  })
}

function comparePoints(text: string, term: Term): void {
  const { kind, field = '', points = 0, bands, below, coefficient, per, plus } = term
  const rows = rowsIn(text)
  for (const [counted, limit] of Object.entries(below ?? {})) says(text, `\`${counted}\` below ${limit}`)
  if (bands !== undefined) {
    assert.deepEqual(
      rows.map(([words = '', given]) => ({ ...bandIn(words), points: Number(given) })),
      bands,
    )
  } else if (typeof points === 'object') {
    assert.deepEqual(Object.fromEntries(rows.map(([code = '', given]) => [code, Number(given)])), points)
  } else if (kind === 'flag') {
    says(text, `${points} point`, `when \`${field}\` is true, else 0.`)
  } else {
    const figure = per === undefined ? `\`${field}\`` : `\`${field}\` / ${per}`
    const formulas: Readonly<Record<string, string>> = {
      linear: `${coefficient} × ${figure}.`,
      square: `${coefficient} × (${figure})².`,
      logarithm: `${coefficient} × ln(${plus} + \`${field}\`).`,
    }
    assert.equal(text.trim(), formulas[kind], `a formula of ${kind}`)
  }
}

function compareRisks(text: string, link: Link): void {
  const { kind, from = 0, risks = [], strata = [], intercept, baseline = 0, rate = 0 } = link
  const rows = rowsIn(text)
  switch (kind) {
    case 'scoreTable':
      assert.deepEqual(
        rows.map(([score]) => Number(score)),
        risks.map((_, at) => from + at),
      )
      for (const [at, risk] of risks.entries()) isRisk(rows[at]?.[1], risk)
      return
    case 'strata':
      assert.deepEqual(
        rows.map(([score = '']) => bandIn(score)),
        strata.map((each) => ({ from: each.from, to: each.to })),
      )
      for (const [at, { risk }] of strata.entries()) isRisk(rows[at]?.[1], risk)
      return
    case 'logistic':
      says(text, `1 / (1 + e^−(${intercept} + score))`)
      return
    case 'survival':
      says(text, `1 − ${baseline}^(e^(${rate} × score))`)
      assert.ok(rows.length > 0)
      for (const [score, risk] of rows) isRisk(risk, 1 - baseline ** Math.exp(rate * Number(score)))
      return
    default:
      assert.fail(`a page with the link ${kind} is not read back yet`)
  }
}
