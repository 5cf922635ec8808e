/**
 * Turns for the bytes of large bodies and streams. The main thread copies, digests and splits them; what arrives at the same time on many
 * connections is taken over several passes of the event loop, so that a single patient waits for a part and not for all of it.
 */

/** Taken in one pass, whoever sends them: SHA-256 of so much takes 0.2 to 0.5 ms. */
export const PASS_BYTES = 128 * 1024

interface Waiting {
  readonly bytes: number
  readonly go: () => void
}

export class Turns {
  private left = PASS_BYTES
  private readonly waiting: Waiting[] = []
  private isCounting = false

  /** Undefined: these bytes may be taken now. Otherwise they wait for their turn, in the order in which they came. */
  take(bytes: number): Promise<void> | undefined {
    this.countPass()
    if (this.waiting.length === 0 && this.left > 0) {
      this.left -= bytes
      return undefined
    }
    return new Promise((go) => this.waiting.push({ bytes, go }))
  }

  private countPass(): void {
    if (this.isCounting) return
    this.isCounting = true
    setImmediate(() => this.nextPass())
  }

  private nextPass(): void {
    this.isCounting = false
    this.left = PASS_BYTES
    while (this.left > 0) {
      const next = this.waiting.shift()
      if (next === undefined) return
      this.left -= next.bytes
      next.go()
    }
    this.countPass()
  }
}
