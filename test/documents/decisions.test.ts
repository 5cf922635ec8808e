/** Decisions have one template, a date and a status, and are in the index. One that was replaced stays, and names what replaced it. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { readPage, rowsOf } from '../support/document-pages.ts'

const FOLDER = 'docs/decisions'
const TEMPLATE = /^Status Date Context Decision Consequences( Figures)?$/
const STATUS = { accepted: /^accepted$/, superseded: /^superseded on \d{4}-\d\d-\d\d by .*\]\(/s }
/** The day on which it was taken. A part that was taken later has its own day, and a word on what it is. */
const DATE = /^\d{4}-\d\d-\d\d(; \d{4}-\d\d-\d\d: .+)*$/

interface Decision {
  readonly number: string
  readonly title: string
  readonly parts: Readonly<Record<string, string>>
}

function readDecision(text: string): Decision {
  const [, number = '', title = ''] = /^# (\d+)\. (.+)\n/.exec(text) ?? []
  const parts = [...text.matchAll(/^\*\*(\w+)\*\*(.*?)(?=^\*\*\w+\*\*|$(?![^]))/gms)]
  return {
    number,
    title,
    parts: Object.fromEntries(parts.map(([, name = '', part = '']) => [name, part.trim()])),
  }
}

function faultsOf({ number, title, parts }: Decision, name: string, isCurrent: boolean): readonly string[] {
  const listed = rowsOf(join(FOLDER, dirname(name), 'README.md')).some(
    ([first, second]) => first === number && second === `[${title}](${basename(name)})`,
  )
  return [
    ...(listed ? [] : ['is not in the index under its number and title']),
    ...(Number(/\d+/.exec(name)?.[0]) === Number(number) ? [] : ['has another number than its file']),
    ...(TEMPLATE.test(Object.keys(parts).join(' ')) ? [] : ['does not have the parts of the template']),
    ...(DATE.test(parts['Date'] ?? '') ? [] : ['has no date']),
    ...(STATUS[isCurrent ? 'accepted' : 'superseded'].test(parts['Status'] ?? '')
      ? []
      : ['has no valid status']),
  ]
}

const decisionsIn = (folder: string): readonly string[] =>
  readdirSync(join(FOLDER, folder))
    .filter((name) => /^\d/.test(name))
    .map((name) => join(folder, name))
const CURRENT = decisionsIn('.')
const SUPERSEDED = decisionsIn('superseded')

for (const name of [...CURRENT, ...SUPERSEDED]) {
  test(`decision ${name}`, () => {
    assert.deepEqual(faultsOf(readDecision(readPage(join(FOLDER, name))), name, CURRENT.includes(name)), [])
  })
}

test('a decision without number, date, status, parts or place in the index is found', () => {
  const name = CURRENT[0] ?? ''
  const { title, parts } = readDecision(readPage(join(FOLDER, name)))
  assert.equal(faultsOf({ number: '99', title, parts: {} }, name, true).length, 5)
  assert.deepEqual(faultsOf({ number: '1', title, parts }, name, false), ['has no valid status'])
})
