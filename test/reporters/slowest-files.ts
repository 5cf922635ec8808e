/** A reporter for `node --test` that prints the ten slowest test files at the end of a run. */
import type { TestEvent } from 'node:test/reporters'

const SHOWN = 10

/** scripts/test.ts runs every file as a test of the outermost level, with the file's name. */
export default async function* slowestFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: { readonly file: string; readonly seconds: number }[] = []
  for await (const { type, data } of source) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting > 0) continue
    // Where others were quicker, a process of the run gets no file. Node reports its module as a test.
    if (data.name.endsWith('.mjs')) continue
    files.push({ file: data.name, seconds: data.details.duration_ms / 1_000 })
  }
  files.sort((a, b) => b.seconds - a.seconds)
  const lines = files
    .slice(0, SHOWN)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}\n`)
  yield `\nslowest of ${files.length} test files:\n${lines.join('')}`
}
