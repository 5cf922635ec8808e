/** Reads the model file that is named, in a process of its own, and prints the reasons of a refusal; nothing where it is read. */
import { DataError } from '../../../src/tables/data-error.ts'
import { readModelFile, recognised } from '../../../src/learn/import/readers.ts'

const [, , path = ''] = process.argv
try {
  const options = { isDraft: true, mayBeAbsent: () => false, baseline: 0.5 }
  readModelFile(path, recognised(path) ?? '', options)
} catch (error) {
  if (!(error instanceof DataError)) throw error
  process.stdout.write(error.message)
}
