/** Reads the whole audit, each group once, in pages. A statement that fails is tried again, on fewer rows. */
import { setTimeout as sleep } from 'node:timers/promises'
import { PAGE_ROWS, type ReadableGroup } from './read-groups.ts'
import type { Store } from '../store.ts'

const TRIES = 6
/** After a call without an answer, PostgreSQL is not asked again for half a second. */
const PAUSE_MS = 1_000

export interface StreamOptions {
  /** Rows of a page, about. */
  readonly rows?: number | undefined
  /** Told of a read that failed and is made again. */
  readonly onRetry?: ((what: string) => void) | undefined
}

/** Groups after a row number, oldest first. The next page is read while the caller works on this one. */
export async function* streamGroups(
  store: Store,
  after: number,
  { rows = PAGE_ROWS, onRetry }: StreamOptions = {},
): AsyncGenerator<readonly ReadableGroup[]> {
  const read = (place: number): Promise<readonly ReadableGroup[]> => {
    const page = withRetries(
      `reading the rows after ${Math.max(place, 0)}`,
      (attempt) => store.readGroups({ place, rows: Math.max(1, Math.floor(rows / 2 ** attempt)) }),
      onRetry,
    )
    // Whoever awaits it sees the failure; a caller that has stopped does not.
    page.catch(() => undefined)
    return page
  }
  for (let next = read(after); ;) {
    const page = await next
    const last = page.at(-1)
    if (last === undefined) return
    next = read(last.lastSeq)
    yield page
  }
}

/** Does work again that fails, a few times with a pause. */
export async function withRetries<T>(
  what: string,
  work: (attempt: number) => Promise<T>,
  onRetry: StreamOptions['onRetry'] = () => undefined,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt)
    } catch (error) {
      if (attempt + 1 >= TRIES) throw error
      onRetry(`${what} failed (${(error as Error).message}); try ${attempt + 2} of ${TRIES}`)
      await sleep(PAUSE_MS)
    }
  }
}
