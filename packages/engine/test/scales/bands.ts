/**
 * The bands of every scale as its sources print them, in `bands.txt`, written apart from the definitions: each scale with its
 * totals, and each scheme with its conditions, whether it is the default, and whether it is confirmed.
 */
import { readFileSync } from 'node:fs'

export interface SchemeFacts {
  readonly name: string
  readonly isDefault: boolean
  readonly isConfirmed: boolean
  /** The figure; `total` where nothing else is said. */
  readonly of: string
  readonly sex?: string | undefined
  readonly given?: string | undefined
  readonly absent?: string | undefined
  readonly bands: readonly { readonly from: number; readonly to: number; readonly label: string }[]
}

export interface ScaleFacts {
  readonly id: string
  /** Every total that can be reached. */
  readonly totals: readonly number[]
  readonly schemes: readonly SchemeFacts[]
}

const text = readFileSync(new URL('bands.txt', import.meta.url), 'utf8')

export const SCALES: readonly ScaleFacts[] = text
  .trim()
  .split(/\n(?=\S)/)
  .map(readScale)

function readScale(block: string): ScaleFacts {
  const [head = '', ...schemes] = block.split(/\n {2}(?=\S)/)
  const [, id = '', from, to, step, without = ''] =
    /^(\w+): (\S+) to (\S+) by ([\d.]+)(?:, without (.*))?$/.exec(head.trim()) ?? []
  const left = without.split(', ').map(Number)
  const perUnit = Math.round(1 / Number(step))
  const width = perUnit === 0 ? Number(step) : 1
  // Whole steps, since tenths are not exact in binary.
  const first = Math.round((Number(from) * (perUnit || 1)) / width)
  const last = Math.round((Number(to) * (perUnit || 1)) / width)
  const totals = Array.from({ length: last - first + 1 }, (_, at) => ((first + at) * width) / (perUnit || 1))
  return {
    id,
    totals: totals.filter((total) => without === '' || !left.includes(total)),
    schemes: schemes.map(readScheme),
  }
}

function readScheme(block: string): SchemeFacts {
  const [head = '', ...lines] = block.split('\n')
  const [, name = '', inBrackets = ''] = /^(.*) \[(.*)\]$/.exec(head.trim()) ?? []
  const words = inBrackets.split(', ')
  const valueOf = (key: string): string | undefined =>
    words.find((word) => word.startsWith(`${key} `))?.slice(key.length + 1)
  return {
    name,
    isDefault: words.includes('default'),
    isConfirmed: words.includes('confirmed'),
    of: valueOf('of') ?? 'total',
    sex: valueOf('sex'),
    given: valueOf('given'),
    absent: valueOf('absent'),
    bands: lines
      .map((line) => line.trim())
      .join(' ')
      .split('; ')
      .map(readBand),
  }
}

function readBand(band: string): SchemeFacts['bands'][number] {
  const [, from, to = from, label = ''] = /^([\d.]+?)(?:\.\.([\d.]+))? (.*)$/.exec(band) ?? []
  return { from: Number(from), to: Number(to), label }
}
