/** A file that a run cannot write: which one, and what the system says. Any other failure of the system is the input's. */

export class CannotWrite extends Error {
  override readonly name = 'CannotWrite'

  constructor(path: string, why: string) {
    super(`${path}: cannot be written (${why})`)
  }
}

/** Does something to a file that is written. */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A reader of the standard output that has gone is not a write error; the caller decides what it is.
    if (code === undefined || code === 'EPIPE') throw error
    throw new CannotWrite(path, code)
  }
}
