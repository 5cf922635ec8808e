/** Holds every call of a worker to the store and to the disk until the simulation lets it go on, so that a seed decides the order. */
export class Killed extends Error {}

interface Waiting {
  readonly name: string
  readonly go: () => void
  readonly end: (error: Error) => void
}

/** What a simulated worker waits for. A worker does one thing at a time. */
export class Gate {
  private waiting: Waiting | undefined
  private isDead = false

  /** The call that waits, if there is one. */
  get pending(): string | undefined {
    return this.waiting?.name
  }

  pass(name: string): Promise<void> {
    if (this.isDead) return Promise.reject(new Killed())
    if (this.waiting !== undefined) throw new Error(`${name} was called while ${this.waiting.name} waits`)
    return new Promise((go, end) => {
      this.waiting = { name, go, end }
    })
  }

  open(): void {
    const { waiting } = this
    this.waiting = undefined
    waiting?.go()
  }

  /** From now on nothing that the worker does has an effect, as after `kill -9`. */
  kill(): void {
    this.isDead = true
    const { waiting } = this
    this.waiting = undefined
    waiting?.end(new Killed())
  }
}
