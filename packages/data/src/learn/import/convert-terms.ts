/**
 * The terms of a model file, asked of our fields: codes are ours, required inputs have no default direction, and branches that no
 * permitted value reaches are left out.
 */
import {
  bandHolds,
  compileCurve,
  type Domain,
  holds,
  rangeOf,
  type PointsBandDefinition,
  type SimpleTermDefinition,
  type SplitDefinition,
  type TermDefinition,
  type TreeDefinition,
  type TreesDefinition,
  type TreeNode,
  edgeOf,
  isSplit,
  nextUp,
  splitDomain,
} from 'patient-risk-engine/definition'
import { DataError } from '../../tables/data-error.ts'
import { type Given, type Mapped, type Mapping, type Value, mapFeature } from './map-features.ts'
import type { SourceModel } from './source.ts'

type Side = 'then' | 'else'
type Rounding = TreesDefinition['rounding']
type Question = Omit<SplitDefinition, Side>
/** The simple terms that readers make. */
type Read = Exclude<SimpleTermDefinition, { kind: 'count' | 'absent' | 'flag' }>
const OTHER = { then: 'else', else: 'then' } as const

export interface Converted {
  readonly terms: readonly TermDefinition[]
  /** Codes of the file that no value of a field gives, and what the specification states for nothing. */
  readonly notes: readonly string[]
}

/** Throws a DataError that lists every feature and every code that cannot be mapped. */
export function convertTerms(source: SourceModel, mapping: Mapping): Converted {
  const faults = new Set<string>()
  const known = new Map(source.features.map((feature) => [feature.name, feature]))
  const found = new Map<string, Mapped | undefined>()
  const fault = (reason: string): void => void faults.add(reason)
  const mapped = (name: string): Mapped | undefined => {
    const feature = known.get(name) ?? { name, kind: 'unknown' }
    if (!found.has(name)) found.set(name, mapFeature(mapping, feature, fault))
    return found.get(name)
  }
  for (const name of Object.keys(mapping.features))
    if (!known.has(name)) fault(`import.features.${name}: the file has no such feature`)
  const convert = { mapped, fault }
  const terms = source.terms.flatMap((term) => convertTerm(term, convert))
  if (faults.size > 0) throw new DataError([...faults])
  const required = [...found].flatMap(([name, to]) =>
    to?.mayBeAbsent === false && mapping.features[name]?.absent !== undefined
      ? [`import.features.${name}.absent: is not used, because ${to.field} is required`]
      : [],
  )
  const notes = [...found].flatMap(([name, to]) => {
    const given = new Set([...(to?.values?.values() ?? [])].map(String))
    const lost = to?.values && known.get(name)?.codes?.filter((code) => !given.has(code))
    return lost && lost.length > 0 ? [`${name}: no value of ${to.field} gives ${lost.join(', ')}`] : []
  })
  return { terms, notes: [...notes, ...required] }
}

interface Convert {
  readonly mapped: (feature: string) => Mapped | undefined
  readonly fault: (reason: string) => void
}

function convertTerm(term: TermDefinition, convert: Convert): readonly TermDefinition[] {
  if (term.kind === 'trees') {
    const trees = term.trees.map((tree) => convertTree(tree, term.rounding, convert))
    return [{ ...term, trees }]
  }
  if (term.kind !== 'product') return convertSimple(term, convert)
  const factors = term.factors.map((factor) => convertSimple(factor, convert))
  if (factors.flat().some(({ kind }) => kind === 'trees'))
    convert.fault('a product has a factor that a single term of ours cannot express')
  return [{ ...term, factors: factors.flat() as SimpleTermDefinition[] }]
}

function convertSimple(
  term: SimpleTermDefinition,
  { mapped, fault }: Convert,
): readonly (SimpleTermDefinition | TreesDefinition)[] {
  if (term.kind === 'count' || term.kind === 'absent' || term.kind === 'flag')
    throw new TypeError(`no reader makes the term ${term.kind}`)
  const to = mapped(term.field)
  if (to === undefined) return []
  const { field, domain, mayBeAbsent, values } = to
  if (values === undefined && term.kind === 'banded')
    return [{ ...term, field, bands: term.bands.filter((band) => holdsSome(band, domain)) }]
  if (values === undefined && term.kind !== 'category') return [{ ...term, field }]
  const points = new Map<Value, number>()
  const add = (value: Value, given: Given): void => void points.set(value, pointsAt(term, given))
  if (values !== undefined) values.forEach((given, value) => add(value, given))
  else if (term.kind === 'category')
    for (const number of numbersIn(Object.keys(term.points), domain)) add(number, number)
  const absent = mayBeAbsent ? pointsAt(term, to.absent) : undefined
  const hasRest = to.rest !== undefined || values === undefined
  const rest = hasRest ? pointsAt(term, to.rest ?? null) : undefined
  const isClear = absent === undefined || rest === undefined || absent === rest
  if (!isClear || [...points.values(), absent ?? 0, rest ?? 0].some(Number.isNaN)) {
    fault(`${term.field}: the file has no points for a value or for the absence of ${field}`)
    return []
  }
  if (!mayBeAbsent && domain.kind === 'code')
    return [{ kind: 'category', field, points: Object.fromEntries(points) as Record<string, number> }]
  if (!mayBeAbsent && domain.kind === 'yesNo' && points.get(false) === 0)
    return [{ kind: 'flag', field, points: points.get(true) ?? 0 }]
  return [{ kind: 'trees', combine: 'sum', trees: [treeOf(field, points, absent, rest)] }]
}

/** Whether a band holds a value of the domain. */
function holdsSome(band: PointsBandDefinition, domain: Domain): boolean {
  if (domain.kind === 'list') return domain.values.some((value) => bandHolds(band, value))
  const { from, to } = rangeOf(domain) ?? { from: 0, to: 0 }
  const start = Math.max(from, band.from ?? (band.above === undefined ? -Infinity : nextUp(band.above)))
  const first = domain.kind === 'integer' ? Math.ceil(start) : start
  return first <= to && bandHolds(band, first)
}

/** The points for what the model was given; NaN where it has none. A category without points for a code counts as 0. */
function pointsAt(term: Read, given: Given): number {
  if (term.kind === 'category') return given === null ? 0 : numberOf(term.points, String(given))
  if (given === null) return Number.NaN
  const number = Number(given)
  if (term.kind === 'banded') return term.bands.find((band) => bandHolds(band, number))?.points ?? Number.NaN
  return compileCurve(term, 0)(Float64Array.of(number))
}

function numberOf(points: Readonly<Record<string, number>>, code: string): number {
  return Object.hasOwn(points, code) ? (points[code] as number) : 0
}

/** A tree that asks for one number of points after the other. What is absent goes through to the last one. */
function treeOf(
  field: string,
  points: ReadonlyMap<Value, number>,
  absent: number | undefined,
  rest: number | undefined,
): TreeDefinition {
  const groups = Map.groupBy(points.keys(), (value) => points.get(value) as number)
  const last = rest ?? absent ?? Math.max(...groups.keys())
  const nodes: TreeNode[] = []
  for (const [own, oneOf] of groups) {
    if (own === last && absent === undefined) continue
    const at = nodes.length
    const node = { field, oneOf, then: at + 1, else: at + 2 }
    nodes.push(absent === undefined ? node : { ...node, absent: 'else' })
    nodes.push(own)
  }
  return [...nodes, last]
}

/** What is left of a field at a place of a tree. */
interface Open {
  readonly domain: Domain | undefined
  readonly isAbsent: boolean
}

function convertTree(tree: TreeDefinition, rounding: Rounding, convert: Convert): TreeDefinition {
  const nodes: TreeNode[] = []
  const open = new Map<string, Open>()
  /** Appends what a node becomes, and returns its place. */
  const build = (place: number): number => {
    const node = tree[place] ?? 0
    if (!isSplit(node)) {
      if (Number.isNaN(node))
        convert.fault(
          `the file gives no result for some records that model.inputs permits, by their ${[...open.keys()].join(', ')}`,
        )
      return nodes.push(node) - 1
    }
    const to = convert.mapped(node.field)
    // The walk goes on, so that every fault is found.
    if (to === undefined) return Math.max(build(node.then), build(node.else))
    const asked = questionOf(node, to, rounding, convert.fault)
    if (typeof asked === 'string') return build(node[asked])
    const { question, isTurned } = asked
    const { field, absent } = question
    const branches = { then: node[isTurned ? 'else' : 'then'], else: node[isTurned ? 'then' : 'else'] }
    const before = open.get(field) ?? { domain: to.domain, isAbsent: to.mayBeAbsent }
    const split = { ...question, ...branches }
    const parts = before.domain && splitDomain(split, before.domain, rounding)
    const after = (side: Side): Open => ({
      domain: parts?.[side],
      isAbsent: before.isAbsent && absent === side,
    })
    const isReached = (side: Side): boolean => after(side).domain !== undefined || after(side).isAbsent
    const follow = (side: Side): number => {
      open.set(field, after(side))
      const at = build(branches[side])
      open.set(field, before)
      return at
    }
    if (!isReached('then')) return follow('else')
    if (!isReached('else')) return follow('then')
    const at = nodes.push(0) - 1
    nodes[at] = { ...split, then: follow('then'), else: follow('else') }
    return at
  }
  build(0)
  return nodes
}

/** A split as a question about our field, turned around where `then` is the other branch; or the side that every record takes. */
function questionOf(
  split: SplitDefinition,
  to: Mapped,
  rounding: Rounding,
  fault: Convert['fault'],
): Side | { readonly question: Question; readonly isTurned: boolean } {
  const { field, domain, mayBeAbsent, values } = to
  const codes = split.oneOf && new Set(split.oneOf.map(String))
  const goes = (given: Given): Side => sideOf(split, codes, to, given, rounding, fault)
  const absent = mayBeAbsent ? goes(to.absent) : undefined
  const asked = (question: Question, isTurned = false): ReturnType<typeof questionOf> => {
    const side = isTurned && absent !== undefined ? OTHER[absent] : absent
    return { question: side === undefined ? question : { ...question, absent: side }, isTurned }
  }
  const { below, upTo, oneOf = [] } = split
  if (values === undefined && below !== undefined) return asked({ field, below })
  if (values === undefined && upTo !== undefined) return asked({ field, upTo })
  const listed = values ?? new Map(numbersIn(oneOf, domain).map((number) => [number, number]))
  const restOfValues = (): Side | undefined => (to.rest === undefined ? undefined : goes(to.rest))
  const rest = values === undefined ? 'else' : restOfValues()
  const sides = Map.groupBy(listed.keys(), (value) => goes(listed.get(value) as Given))
  const turned = rest === 'then'
  const members = sides.get(turned ? 'else' : 'then') ?? []
  const others = rest ?? (sides.has('else') ? 'else' : undefined)
  if (members.length > 0 && others !== undefined) return asked({ field, oneOf: [...members] }, turned)
  // All values go to one side; a question is left only where absence goes to the other one.
  const side = members.length > 0 ? 'then' : (others ?? 'else')
  if (absent === undefined || absent === side) return side
  const range = rangeOf(domain)
  const every = range === undefined ? { oneOf: [...listed.keys()] } : { upTo: range.to }
  return asked({ field, ...every }, side === 'else')
}

function numbersIn(codes: readonly Value[], domain: Domain): readonly number[] {
  return codes.map(Number).filter((number) => holds(domain, number))
}

function sideOf(
  { below, upTo, oneOf, absent }: SplitDefinition,
  codes: ReadonlySet<string> | undefined,
  { name, field, values }: Mapped,
  given: Given,
  rounding: Rounding,
  fault: Convert['fault'],
): Side {
  const place = `import.features.${name}`
  if (given === null) {
    if (absent === undefined) fault(`${name}: the file does not say where a record without ${field} goes`)
    return absent ?? 'else'
  }
  if (codes !== undefined) {
    if (typeof given === 'string' && Number.isNaN(Number(given)) && typeof oneOf?.[0] === 'number')
      fault(`${place}: the file numbers the codes and does not name them; list the names in \`order\``)
    return codes.has(String(given)) ? 'then' : 'else'
  }
  const number = typeof given === 'number' ? given : Number.NaN
  if (Number.isNaN(number)) {
    // All of them in one line, the same for each.
    const texts = [...(values?.values() ?? [given])].filter((each) => typeof each === 'string')
    fault(
      `${place}: is a number in the file; say in \`is\` or in \`values\` which number stands for ${texts.join(', ')}`,
    )
  }
  return number < edgeOf({ below, upTo } as SplitDefinition, rounding) ? 'then' : 'else'
}
