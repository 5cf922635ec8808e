/**
 * Decides between two threads: the caller of a call that gives up, and the thread that is about to commit its work. Exactly one of them
 * wins, because both change the same cell of shared memory in one atomic step. So a caller that gave up knows that nothing was committed.
 */

/** Calls that may wait for a thread at a time. Beyond it they are refused. */
const MOST_CALLS = 4_096
const HIGHEST_MARK = 2 ** 31 - 1
const WITHDRAWN = 0

/** Where the two meet. The mark tells this call from others that have used the cell; the negative mark says that it is committing. */
export interface Claim {
  readonly cell: number
  readonly mark: number
}

/** The side of the callers. */
export class CommitClaims {
  readonly memory = new SharedArrayBuffer(MOST_CALLS * Int32Array.BYTES_PER_ELEMENT)
  private readonly cells = new Int32Array(this.memory)
  private readonly free = Array.from({ length: MOST_CALLS }, (_each, cell) => cell)
  private lastMark = 0

  /** Undefined where too many calls are waiting. */
  open(): Claim | undefined {
    const cell = this.free.pop()
    if (cell === undefined) return undefined
    this.lastMark = (this.lastMark % HIGHEST_MARK) + 1
    Atomics.store(this.cells, cell, this.lastMark)
    return { cell, mark: this.lastMark }
  }

  /** Gives a call up. False where the thread is committing it, or has: then only its answer tells. */
  withdraw({ cell, mark }: Claim): boolean {
    return Atomics.compareExchange(this.cells, cell, mark, WITHDRAWN) !== -mark
  }

  /** The call is over for its caller. A thread that still works on it finds the cell empty, or another mark. */
  close({ cell }: Claim): void {
    Atomics.store(this.cells, cell, WITHDRAWN)
    this.free.push(cell)
  }
}

/** The side of the thread, called right before a commit: whether it may commit. From then on the caller waits for the answer. */
export function claimCommit(memory: SharedArrayBuffer, { cell, mark }: Claim): boolean {
  const found = Atomics.compareExchange(new Int32Array(memory), cell, mark, -mark)
  // A call with several transactions has claimed the cell before.
  return found === mark || found === -mark
}
