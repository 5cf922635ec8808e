/** Headers of which a second one would be read differently by a proxy and by this service are refused. */
import { AppError } from '../../errors.ts'

/** Each with a bit of its own. */
const ONCE: ReadonlyMap<string, number> = new Map(
  ['authorization', 'host', 'content-length', 'content-type', 'transfer-encoding'].map((name, place) => [
    name,
    1 << place,
  ]),
)

/** The error for a request whose headers can be read in two ways, or undefined. */
export function refuseAmbiguous(rawHeaders: readonly string[]): AppError | undefined {
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    const bit = ONCE.get(name) ?? 0
    if ((seen & bit) !== 0) return new AppError('REQUEST_INVALID', `The header "${name}" is given twice.`)
    seen |= bit
  }
  return undefined
}
