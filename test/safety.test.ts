/** The hazard log and the security page name tests that exist, by file and by words of their titles. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const read = (file: string): string => readFileSync(file, 'utf8')
const rows = (text: string): readonly string[] => text.split('\n').filter((line) => /^\| (?!-)/.test(line))

const SEVERITIES = ['minor', 'significant', 'considerable', 'major', 'catastrophic']
const OWNERS = ['developer', 'operator', 'clinical safety officer']
/** The highest risk that may be left, and the one that needs a duty of the user. */
const MOST_RISK = 3

const cellsOf = (row: string): readonly string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** The rows of the table below a heading, without its head. */
function tableOf(heading: string): readonly (readonly string[])[] {
  const text = read('docs/safety/hazard-log.md')
  const from = text.indexOf(heading)
  assert.ok(from >= 0, heading)
  const table = text.slice(text.indexOf('\n|', from))
  return rows(table.slice(0, table.indexOf('\n\n', 1)))
    .slice(1)
    .map(cellsOf)
}

test('every hazard has a control, an owner, and names a test that exists', () => {
  const hazards = tableOf('## Hazards')
  assert.ok(hazards.length >= 30)
  for (const cells of hazards) {
    const row = cells.join(' | ')
    assert.equal(cells.length, 12, row)
    for (const cell of cells) assert.notEqual(cell, '', row)
    const [, file, title] = /^`([^`]+)` · (.+)$/.exec(cells[7] ?? '') ?? []
    assert.ok(file !== undefined && title !== undefined, row)
    assert.ok(existsSync(file), file)
    assert.ok(read(file).includes(title), `${file} has no test called ${title}`)
    assert.ok(OWNERS.includes(cells[10] ?? ''), row)
  }
})

test('each risk follows from severity and likelihood, falls by its control, and is accepted', () => {
  const matrix = new Map(tableOf('**Risk**').map(([likelihood = '', ...risks]) => [likelihood, risks]))
  for (const cells of tableOf('## Hazards')) {
    const [, , , severity = '', before = '', riskBefore, , , after = '', riskAfter, , acceptance] = cells
    const riskOf = (likelihood: string): string | undefined =>
      matrix.get(likelihood)?.[SEVERITIES.indexOf(severity)]
    assert.deepEqual([riskOf(before), riskOf(after)], [riskBefore, riskAfter], cells.join(' | '))
    const order = [...matrix.keys()]
    assert.ok(
      order.indexOf(after) > order.indexOf(before),
      `the control changes nothing: ${cells.join(' | ')}`,
    )
    assert.ok(Number(riskAfter) <= MOST_RISK)
    assert.equal(
      acceptance,
      Number(riskAfter) === MOST_RISK ? 'accepted with the duty named below' : 'accepted',
    )
  }
})

test('the security page names files that exist', () => {
  const files = [...read('SECURITY.md').matchAll(/`((?:packages\/[a-z-]+\/)?test\/[^`]+)`/g)].map(
    ([, file]) => file ?? '',
  )
  assert.ok(files.length >= 15)
  for (const file of files) assert.ok(existsSync(file), file)
})
