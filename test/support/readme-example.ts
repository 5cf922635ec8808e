/** Runs the example of a README: the program in its block of JavaScript, and the output that the block after it promises. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const EXAMPLE = /```js\n(.*?)```\n\n```text\n(.*?)```/s

export function runExample(path: string): { readonly printed: string; readonly promised: string } {
  const [, program, promised] = EXAMPLE.exec(readFileSync(path, 'utf8')) ?? []
  if (program === undefined || promised === undefined)
    throw new Error(`${path} has no program with its output`)
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  })
  return { printed, promised }
}
