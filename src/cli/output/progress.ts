/** Shows how far a run has come: a bar on a terminal, a plain line now and then elsewhere. */
import type { Progress } from '../../bulk/progress.ts'

const BAR_WIDTH = 30
const TERMINAL_MS = 200
const PLAIN_MS = 10_000

export interface ProgressView {
  show(progress: Progress): void
  end(): void
}

export function progressView(
  stream: NodeJS.WriteStream,
  now: () => number = () => performance.now(),
): ProgressView {
  const isTerminal = stream.isTTY
  const start = now()
  let last = start
  return {
    show(progress) {
      const at = now()
      if (at - last < (isTerminal ? TERMINAL_MS : PLAIN_MS)) return
      last = at
      const text = progressText(progress, (at - start) / 1000)
      stream.write(isTerminal ? `\r\x1b[K${bar(progress.share)}${text}` : `${text}\n`)
    },
    end() {
      if (isTerminal) stream.write('\r\x1b[K')
    },
  }
}

function bar(share: number | undefined): string {
  if (share === undefined) return ''
  const full = Math.round(Math.min(1, share) * BAR_WIDTH)
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}] `
}

/** Records so far, the rate, and the time that is left if it stays so. */
export function progressText({ records, share }: Progress, seconds: number): string {
  const parts: string[] = []
  if (records !== undefined) {
    const rate = seconds > 0 ? Math.round(records / seconds) : 0
    parts.push(`${records.toLocaleString('en')} records`, `${rate.toLocaleString('en')} a second`)
  }
  if (share !== undefined && share > 0) {
    parts.push(`${Math.floor(Math.min(1, share) * 100)} %`, `${clock((seconds / share) * (1 - share))} left`)
  }
  return parts.join(', ')
}

function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}
