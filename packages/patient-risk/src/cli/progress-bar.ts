/** Shows the progress of a run on stderr: a bar on a terminal, elsewhere a line every ten seconds. */
import type { Progress } from '@patient-risk/data/bulk'

const BAR_WIDTH = 30
const TERMINAL_MS = 200
const PLAIN_MS = 10_000

export class ProgressBar {
  private readonly stream = process.stderr
  private start = performance.now()
  private last = this.start
  private stage = ''
  private readonly unit: string

  constructor(unit = 'records') {
    this.unit = unit
  }

  show({ records, share }: Progress, stage = ''): void {
    const now = performance.now()
    if (stage !== this.stage) this.start = now
    this.stage = stage
    if (now - this.last < (this.stream.isTTY ? TERMINAL_MS : PLAIN_MS)) return
    this.last = now
    const parts = stage === '' ? [] : [stage]
    const seconds = (now - this.start) / 1000
    if (records !== undefined) {
      const rate = seconds > 0 ? Math.round(records / seconds) : 0
      parts.push(`${records.toLocaleString('en')} ${this.unit}`, `${rate.toLocaleString('en')} a second`)
    }
    if (share !== undefined && share > 0) {
      const left = clock((seconds / share) * (1 - share))
      parts.push(`${Math.floor(Math.min(1, share) * 100)} %`, `${left} left`)
    }
    const line = parts.join(', ')
    this.stream.write(this.stream.isTTY ? `\r\x1b[K${bar(share)}${line}` : `${line}\n`)
  }

  [Symbol.dispose](): void {
    if (this.stream.isTTY) this.stream.write('\r\x1b[K')
  }
}

function bar(share: number | undefined): string {
  if (share === undefined) return ''
  const full = Math.round(Math.min(1, share) * BAR_WIDTH)
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}] `
}

function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}
