/** The files that the arguments of a command name: files, folders, patterns, addresses, and the standard input. */
import { globSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { BadFile } from './bad-file.ts'
import { STANDARD_INPUT } from './open-input.ts'

const PATTERN = /[*?[{]/
const ADDRESS = /^(https?|s3):\/\//

export function isAddress(path: string): boolean {
  return ADDRESS.test(path)
}

/** Every file once; the files of a folder or pattern are sorted by name. `isIncluded` chooses the files of a folder. */
export function listInputs(
  inputs: readonly string[],
  isIncluded: (path: string) => boolean,
): readonly string[] {
  const all = inputs.flatMap((input) => {
    if (input === STANDARD_INPUT || isAddress(input)) return [input]
    const found = statSync(input, { throwIfNoEntry: false })
    if (found !== undefined && !found.isDirectory()) return [input]
    const pattern = found === undefined ? input : join(input, '**', '*')
    if (found === undefined && !PATTERN.test(input)) throw new BadFile(`${input}: there is no such file`)
    const files = globSync(pattern)
      .filter((path) => !isHidden(path) && statSync(path).isFile() && isIncluded(path))
      .sort()
    if (files.length === 0) throw new BadFile(`${input}: there is no file to score`)
    return files
  })
  return [...new Set(all)]
}

/** Files of other programs, such as `_SUCCESS` in Spark's output, and leftovers of an unfinished run. */
function isHidden(path: string): boolean {
  return path.split(sep).some((part) => /^[._](?!\.?$)/.test(part)) || path.includes('.unfinished')
}
