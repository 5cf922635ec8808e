/** A reporter for `node --test` that prints the ten slowest test files at the end of a run. */
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

const SHOWN = 10

export default async function* slowestFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: { readonly file: string; readonly seconds: number }[] = []
  for await (const event of source) {
    if (event.type !== 'test:summary' || event.data.file === undefined) continue
    files.push({ file: relative(process.cwd(), event.data.file), seconds: event.data.duration_ms / 1_000 })
  }
  files.sort((a, b) => b.seconds - a.seconds)
  const lines = files
    .slice(0, SHOWN)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}\n`)
  yield `\nslowest of ${files.length} test files:\n${lines.join('')}`
}
