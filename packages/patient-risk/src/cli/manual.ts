/** The page `docs/commands.md`: every command, and what `--help` prints of it. */
import { readFileSync } from 'node:fs'

/** The name of a command, a sentence on it, and a block with its usage and its options. */
const PART = /^## ([^\n]+)\n\n([^\n]+)\n\n```text\n(.*?)```$/gms

export interface ManualPart {
  readonly name: string
  readonly summary: string
  readonly help: string
}

/** In the order of the page. */
export function readManual(): readonly ManualPart[] {
  const page = readFileSync(new URL('../../../../docs/commands.md', import.meta.url), 'utf8')
  return [...page.matchAll(PART)].map(([, name = '', summary = '', help = '']) => ({ name, summary, help }))
}
