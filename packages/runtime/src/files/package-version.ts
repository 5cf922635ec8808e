/** The version of this package, as its own file states it. */
import { readFileSync } from 'node:fs'
import { parseJson } from 'patient-risk-engine/read'

export function packageVersion(): string {
  const file = new URL('../../../../package.json', import.meta.url)
  return (parseJson(readFileSync(file, 'utf8')) as { version: string }).version
}
