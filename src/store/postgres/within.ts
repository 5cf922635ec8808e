/** A call that must end in time: whatever hangs, the caller is told after a second. */
import { StoreError } from '../store.ts'

const LIMIT_MS = 1_000

export async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new StoreError('the store did not answer in time')), LIMIT_MS)
  })
  try {
    return await Promise.race([work, limit])
  } catch (error) {
    throw error instanceof StoreError ? error : new StoreError(describe(error))
  } finally {
    clearTimeout(timer)
  }
}

/** PostgreSQL's code for the kind of error. Its text may quote a row, so it goes no further. */
function describe(error: unknown): string {
  const { code } = error as { readonly code?: string }
  return code === undefined ? 'PostgreSQL did not answer' : `PostgreSQL ${code}`
}
