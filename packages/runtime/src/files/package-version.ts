/** The version of this package, as its own file states it. */
import { readFileSync } from 'node:fs'

export function packageVersion(): string {
  const file = new URL('../../../../package.json', import.meta.url)
  // eslint-disable-next-line no-restricted-properties -- Our own file, with names that have no escapes.
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
