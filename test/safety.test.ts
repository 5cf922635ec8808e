/** The hazard log and the security page name tests that exist, by file and by words of their titles. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const read = (file: string): string => readFileSync(file, 'utf8')
const rows = (text: string): readonly string[] => text.split('\n').filter((line) => /^\| (?!-)/.test(line))

test('every hazard has a control and names a test that exists', () => {
  const hazards = rows(read('docs/safety/hazard-log.md')).slice(1)
  assert.ok(hazards.length >= 10)
  for (const row of hazards) {
    const cells = row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    assert.equal(cells.length, 5, row)
    for (const cell of cells) assert.notEqual(cell, '', row)
    const [, file, title] = /^`([^`]+)` · (.+)$/.exec(cells[4] ?? '') ?? []
    assert.ok(file !== undefined && title !== undefined, row)
    assert.ok(existsSync(file), file)
    assert.ok(read(file).includes(title), `${file} has no test called ${title}`)
  }
})

test('the security page names files that exist', () => {
  const files = [...read('SECURITY.md').matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file ?? '')
  assert.ok(files.length >= 15)
  for (const file of files) assert.ok(existsSync(file), file)
})
