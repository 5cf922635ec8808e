/** One body through both readers. Whatever can be seen of the answers must be the same. */
import assert from 'node:assert/strict'
import { EngineError } from '../../src/read/engine-error.ts'
import type { BatchAnswer } from '../../src/answer/answer-builder.ts'
import type { Scorer } from '../../src/scorer.ts'
import { makeBody } from './bodies.ts'
import type { Pair } from './deployments.ts'
import { Random } from '../../../../test/support/random.ts'

const TODAY = 20_260_131
const NONE: ReadonlySet<number> = new Set()
const decoder = new TextDecoder()

export interface Comparison {
  readonly seed: number
  readonly pair: string
  readonly records: number
  /** What differs; undefined when nothing does. */
  readonly difference?: string
}

/** The seed decides everything: the deployment, the records, their layout, and the damage. */
export function compareSeed(pairs: readonly Pair[], seed: number): Comparison {
  const random = new Random(seed)
  const pair = random.pick(pairs)
  const { bytes, records, isLines } = makeBody(random, pair)
  const seen = isLines ? seenOfLines : seenOfArray
  const fast = seen(pair.fast, bytes)
  const reference = seen(pair.reference, bytes)
  if (fast === reference) return { seed, pair: pair.name, records }
  return { seed, pair: pair.name, records, difference: firstDifference(fast, reference) }
}

/** Compares bodies of consecutive seeds until so many records were compared. A difference fails the test that asked. */
export function compareRecords(pairs: readonly Pair[], firstSeed: number, wanted: number): void {
  let records = 0
  for (let seed = firstSeed; records < wanted; seed++) {
    const comparison = compareSeed(pairs, seed)
    assert.equal(comparison.difference, undefined, `seed ${seed} on ${comparison.pair}`)
    records += comparison.records
  }
}

function seenOfArray(scorer: Scorer, bytes: Uint8Array): string {
  return attempt(() => describe(scorer.score(bytes, TODAY)))
}

function seenOfLines(scorer: Scorer, bytes: Uint8Array): string {
  return attempt(() => {
    const answer = scorer.lines.score(bytes, TODAY, { first: 7, duplicates: NONE })
    const ambiguousIdxs = JSON.stringify([...answer.ambiguousIdxs])
    return `${describe(answer)}|${ambiguousIdxs}|${answer.idxs.join()}|${answer.risks.join()}|${answer.malformedAt}`
  })
}

function attempt(describeAnswer: () => string): string {
  try {
    return describeAnswer()
  } catch (error) {
    if (error instanceof EngineError) return `refused: ${error.code}`
    throw error
  }
}

function describe({ bytes, tally }: BatchAnswer): string {
  const problems = [...tally.problems]
    .flatMap(([field, kinds]) => [...kinds].map(([kind, count]) => `${field} ${kind} ${count}`))
    .sort()
  return `${decoder.decode(bytes)}|${tally.records}|${tally.scored}|${problems.join()}`
}

function firstDifference(fast: string, reference: string): string {
  let place = 0
  while (place < fast.length && fast[place] === reference[place]) place++
  const around = (text: string): string => text.slice(Math.max(0, place - 80), place + 120)
  return `bytes:     …${around(fast)}…\nreference: …${around(reference)}…`
}
