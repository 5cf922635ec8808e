/** Headers of which a second one would be read differently by a proxy and by this service are refused. */
import { AppError } from '../errors.ts'

const ONCE: ReadonlySet<string> = new Set([
  'authorization',
  'host',
  'content-length',
  'content-type',
  'transfer-encoding',
])

/** The error for a request whose headers can be read in two ways, or undefined. */
export function refuseAmbiguous(rawHeaders: readonly string[]): AppError | undefined {
  const seen = new Set<string>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    if (!ONCE.has(name)) continue
    if (seen.has(name)) return new AppError('REQUEST_INVALID', `The header "${name}" is given twice.`)
    seen.add(name)
  }
  return undefined
}
