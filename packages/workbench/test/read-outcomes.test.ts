/** A list of what happened as elements: words of both languages, and only what can be read in one way. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOutcomes, suggestColumns } from '../src/outcomes/read-outcomes.ts'
import type { Sheet } from '../src/list/read/sheet.ts'

const DIGEST = `sha-256=:${'a'.repeat(43)}=:`
const NAMES = ['patient', 'risk', 'digest', 'scored', 'outcome', 'ward', 'was']

function sheetOf(rows: readonly (readonly string[])[]): Sheet {
  return {
    name: 'list.csv',
    kind: 'csv',
    delimiter: ',',
    headerLine: 1,
    columns: NAMES,
    rows: rows.map((row) => [...row]),
    lines: rows.map((_row, at) => at + 2),
    rejected: new Map(),
    nonRecords: new Map(),
    repeated: new Map(),
    corrected: new Map(),
  }
}

const GOOD = ['p', '0.2294', DIGEST, '2026-01-31T10:00:00.000Z', 'event', '', '']

/** Which cell · what it holds · what is sent of it, or the fault. */
const CELLS = [
  ['outcome', 'Sí', { outcome: 'event' }],
  ['outcome', 'evento', { outcome: 'event' }],
  ['outcome', 'No', { outcome: 'none' }],
  ['outcome', 'ninguno', { outcome: 'none' }],
  ['outcome', 'died first', { outcome: 'diedFirst' }],
  ['outcome', 'Murió antes', { outcome: 'diedFirst' }],
  ['outcome', 'desconocido', { outcome: 'unknown' }],
  ['outcome', 'unknown', { outcome: 'unknown' }],
  // It may be the event itself, or have come before it.
  ['outcome', 'died', 'outcome'],
  ['outcome', 'exitus', 'outcome'],
  ['outcome', '1', 'outcome'],
  ['outcome', '', 'empty'],
  ['was', 'none', { was: 'none' }],
  ['was', 'perhaps', 'was'],
  ['risk', '0,2294', { risk: 0.2294 }],
  ['risk', 'Yes', { risk: 'Yes' }],
  ['risk', 'Sí', { risk: 'Yes' }],
  ['risk', '22.94', 'risk'],
  ['risk', '22.9 %', 'risk'],
  ['risk', '', 'risk'],
  ['digest', 'a'.repeat(43) + '=', { digest: DIGEST }],
  ['digest', 'a'.repeat(42) + '=', 'digest'],
  ['scored', '2026-01', { scored: '2026-01' }],
  ['scored', '2026-12-31', { scored: '2026-12' }],
  ['scored', '2026-13', 'scored'],
  ['scored', '01/02/2026', 'scored'],
  ['ward', 'ward 3', { group: 'ward 3' }],
] as const

for (const [column, text, expected] of CELLS) {
  test(`${column} "${text}" is ${typeof expected === 'string' ? `refused (${expected})` : JSON.stringify(expected)}`, () => {
    const row = GOOD.map((cell, at) => (NAMES[at] === column ? text : cell))
    const [read] = readOutcomes(sheetOf([row]), suggestColumns(NAMES))
    if (typeof expected === 'string') assert.deepEqual(read, { row: 0, fault: expected })
    else if (read !== undefined && 'element' in read)
      assert.deepEqual(read.element, { ...read.element, ...expected })
    else assert.fail('the row was refused')
  })
}

test('the number of a patient is never sent, and a shifted row is not read', () => {
  const sheet = sheetOf([GOOD, GOOD])
  const rejected = new Map([[1, { reason: 'tooManyCells', cells: [] } as const]])
  const read = readOutcomes({ ...sheet, rejected }, suggestColumns(NAMES))
  assert.doesNotMatch(JSON.stringify(read), /"p"/)
  assert.deepEqual(read[1], { row: 1, fault: 'shifted' })
})

/** Word of another language · what is sent. A word that is known already keeps its meaning. */
const OTHERS = [
  ['morreu antes', 'diedFirst'],
  ['Sim', 'event'],
  ['no', 'none'],
] as const

for (const [text, outcome] of OTHERS) {
  test(`"${text}", as another language says it, is ${outcome}`, () => {
    const row = GOOD.map((cell, at) => (NAMES[at] === 'outcome' ? text : cell))
    const words = [
      ['Morreu antes', 'diedFirst'],
      ['sim', 'event'],
      ['No', 'event'],
    ] as const
    const [read] = readOutcomes(sheetOf([row]), suggestColumns(NAMES), words)
    assert.equal(read !== undefined && 'element' in read && read.element.outcome, outcome)
  })
}

/** By kind of outcome, the words of both languages that say it. */
const WORDS = {
  event: 'event yes true y evento si s verdadero reingreso readmitted',
  none: 'none no n false noevent ninguno nada falso sinevento',
  diedFirst: 'diedfirst diedbefore fallecidoantes falleceantes murioantes muerteantes exitusantes',
  unknown: 'unknown notknown notfound lost desconocido desconocida noconocido noencontrado perdido noconsta',
} as const
for (const [kind, words] of Object.entries(WORDS)) {
  test(`each word for ${kind} is known`, () => {
    const columns = suggestColumns(NAMES)
    for (const word of words.split(' ')) {
      const [read] = readOutcomes(sheetOf([[...GOOD.slice(0, 4), word, '', '']]), columns)
      assert.equal(read !== undefined && 'element' in read ? read.element.outcome : read?.fault, kind, word)
    }
  })
}

/** By part of an outcome, the names of its column. */
const COLUMNS = {
  outcome: 'outcome,What happened,happened,desenlace,¿Qué ocurrió?,ocurrió,resultado',
  risk: 'risk,Riesgo',
  digest: 'digest,deployment digest,Risk-Deployment-Digest,huella',
  scored: 'scored,scored (UTC),calculado,mes,month',
  group: 'group,ward,grupo,unidad',
  was: 'was,before,antes,era',
  identifier: 'id,patient,paciente,identifier,identificador,MRN,NHC,historia',
} as const
for (const [part, names] of Object.entries(COLUMNS)) {
  test(`each name of the column ${part} is known`, () => {
    for (const name of names.split(',')) assert.deepEqual(suggestColumns(['x', name]), { [part]: 1 }, name)
  })
}
