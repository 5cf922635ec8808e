/** The version of this package, as its own file states it. */
import { readFileSync } from 'node:fs'
import { parseJson } from '../engine/read/parse-json.ts'

export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (parseJson(readFileSync(file, 'utf8')) as { version: string }).version
}
