/** The figures of several rounds as one: the median, and how far the rounds lie apart. */
import type { Round } from './measure.ts'

export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

type Figure = Exclude<keyof Round, 'refused'>

export function spreadOf(numbers: readonly number[]): Spread {
  if (numbers.length === 0) throw new Error('there is no round')
  const sorted = [...numbers].sort((a, b) => a - b)
  const last = sorted.length - 1
  const lower = sorted[Math.floor(last / 2)] as number
  const upper = sorted[Math.ceil(last / 2)] as number
  return { least: sorted[0] as number, most: sorted[last] as number, median: (lower + upper) / 2 }
}

export function median(numbers: readonly number[]): number {
  return spreadOf(numbers).median
}

export function medianOf(rounds: readonly Round[], figure: Figure): number {
  return median(rounds.map((round) => round[figure]))
}

/** How a figure of one server compares with that of another, round by round: the speed of the machine changes between rounds. */
export function ratioOf(rounds: readonly Round[], others: readonly Round[], figure: Figure): Spread {
  return spreadOf(rounds.map((round, index) => round[figure] / (others[index] as Round)[figure]))
}

export function thousands(number: number): string {
  return Math.round(number).toLocaleString('en-US')
}

/** A ratio as it is printed: two places, more than ten with one. */
export function printRatio(ratio: number): string {
  return ratio.toFixed(ratio < 10 ? 2 : 1)
}

export function printRange({ least, most }: Spread): string {
  return `${printRatio(least)}–${printRatio(most)}`
}

export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
