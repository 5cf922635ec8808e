/** The documents of the project, and what their tables and texts write as code. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export const readPage = (path: string): string => readFileSync(path, 'utf8')

/** Path and text of the documents for people. */
export const DOCUMENTS: readonly (readonly [path: string, text: string])[] = [
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].map((path) => [path, readPage(path)])

/** The rows of all tables of a page, as cells. */
export function rowsOf(path: string): readonly (readonly string[])[] {
  return readPage(path)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()))
}

/** What is written as code in a text. */
export function codesIn(text = ''): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}
