/** The time that something may take of its own: waits that a server asks for do not count. */
export class OwnTime {
  private readonly over = new AbortController()
  private endsAt: number
  private waitsUntil = 0
  private timer: NodeJS.Timeout

  constructor(ms: number) {
    this.endsAt = Date.now() + ms
    this.timer = this.startTimer()
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.over.signal
  }

  /** Adds a wait that begins now. Waits at the same time count once. */
  addWait(ms: number): void {
    const now = Date.now()
    const until = now + ms
    this.endsAt += Math.max(0, until - Math.max(now, this.waitsUntil))
    this.waitsUntil = Math.max(until, this.waitsUntil)
  }

  end(): void {
    clearTimeout(this.timer)
  }

  private startTimer(): NodeJS.Timeout {
    const check = (): void => {
      if (Date.now() < this.endsAt) this.timer = this.startTimer()
      else this.over.abort()
    }
    return setTimeout(check, Math.max(1, this.endsAt - Date.now())).unref()
  }
}
