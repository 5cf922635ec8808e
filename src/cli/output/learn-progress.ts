/** A progress bar on the terminal. Where nobody watches, nothing is drawn. */

const WIDTH = 30
const PAUSE_MS = 100

export class Progress {
  private readonly isShown = process.stderr.isTTY
  private last = 0
  private drawn = false

  show(stage: string, done: number, of: number): void {
    const now = performance.now()
    if (!this.isShown || (done < of && now - this.last < PAUSE_MS)) return
    this.last = now
    this.drawn = true
    const share = of === 0 ? 1 : Math.min(1, done / of)
    const bar = '█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░')
    process.stderr.write(`\r${bar} ${String(Math.round(share * 100)).padStart(3)} %  ${stage.padEnd(24)}`)
  }

  clear(): void {
    if (this.drawn) process.stderr.write(`\r${' '.repeat(WIDTH + 34)}\r`)
    this.drawn = false
  }
}
