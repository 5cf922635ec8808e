/** Results as a Markdown table. */
import type { Measured } from './measure.ts'

export interface Row {
  readonly payload: string
  readonly name: string
  readonly measured: Measured
  /** What the ratios are taken against. */
  readonly base: Measured
}

const HEAD = [
  '| payload | server | records/s | ratio | CPU µs a record | ratio by CPU | p50 ms | p99 ms |',
  '|---|---|---|---|---|---|---|---|',
]

export function table(rows: readonly Row[]): string {
  return [...HEAD, ...rows.map(line), ''].join('\n')
}

function line({ payload, name, measured, base }: Row): string {
  const cells = [
    payload,
    measured.refused === 0 ? name : `${name} (${measured.refused} requests refused)`,
    Math.round(measured.recordsPerSecond).toLocaleString('en-US'),
    (measured.recordsPerSecond / base.recordsPerSecond).toFixed(2),
    measured.cpuUs.toFixed(2),
    (base.cpuUs / measured.cpuUs).toFixed(2),
    measured.p50Ms.toFixed(2),
    measured.p99Ms.toFixed(2),
  ]
  return `| ${cells.join(' | ')} |`
}
