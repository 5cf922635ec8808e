/** What a model that a reader gave answers for a record of features, as `source.ts` says; undefined where it has no result. */
import {
  bandHolds,
  compileCurve,
  type SimpleTermDefinition,
  type SplitDefinition,
  type TermDefinition,
  type TreesDefinition,
  edgeOf,
  isSplit,
} from 'patient-risk-engine/definition'
import { compileLink } from 'patient-risk-engine'
import type { SourceModel } from '../../../../src/learn/import/source.ts'

export class AbsenceRefused extends Error {}

export type FeatureRecord = Readonly<Record<string, number | string | undefined>>

export function answerOf({ terms, link }: SourceModel, record: FeatureRecord): number | undefined {
  const risk = compileLink(link)(terms.reduce((sum, term) => sum + points(term, record), 0))
  return Number.isNaN(risk) ? undefined : risk
}

function points(term: TermDefinition, record: FeatureRecord): number {
  if (term.kind === 'product')
    return term.factors.reduce((product, factor) => product * points(factor, record), term.coefficient)
  if (term.kind === 'trees') {
    const leaves = term.trees.map((tree) => leafOf(tree, term.rounding, record))
    const sum = leaves.reduce((one, other) => one + other, 0)
    return term.combine === 'mean' ? sum / leaves.length : sum
  }
  return simplePoints(term, record)
}

function simplePoints(term: SimpleTermDefinition, record: FeatureRecord): number {
  if (term.kind === 'count') throw new Error('readers give no counts')
  const value = record[term.field]
  if (term.kind === 'category') return value === undefined ? 0 : (term.points[String(value)] ?? 0)
  // The import refuses absence in such a term.
  if (value === undefined || term.kind === 'absent' || term.kind === 'flag')
    throw new AbsenceRefused(term.field)
  if (term.kind === 'banded') {
    const holders = term.bands.filter((band) => bandHolds(band, Number(value)))
    if (holders.length !== 1) throw new Error(`${holders.length} bands hold ${value}`)
    return holders[0]?.points ?? Number.NaN
  }
  return compileCurve(term, 0)(Float64Array.of(Number(value)))
}

function leafOf(
  tree: TreesDefinition['trees'][number],
  rounding: TreesDefinition['rounding'],
  record: FeatureRecord,
): number {
  let node = tree[0] ?? Number.NaN
  while (isSplit(node)) {
    node = tree[isThen(node, rounding, record) ? node.then : node.else] ?? Number.NaN
  }
  return node
}

function isThen(
  split: SplitDefinition,
  rounding: TreesDefinition['rounding'],
  record: FeatureRecord,
): boolean {
  const value = record[split.field]
  if (value === undefined) return split.absent === 'then'
  if (split.oneOf === undefined) return Number(value) < edgeOf(split, rounding)
  return split.oneOf.map(String).includes(String(value))
}
