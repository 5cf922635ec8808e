/** An item that asks for action is on the card, whatever the risk and also where there is none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CardSettings, answerHook } from '../../../src/adapters/cds-hooks/cards.ts'
import type { Source } from '../../../src/adapters/fhir/assess.ts'
import { FIELD_SYSTEM } from '../../../src/adapters/fhir/codings.ts'
import { EVERYTHING, type Resource, observation, patient, sourceOf } from '../fhir/source.ts'
import { request, searchset } from './requests.ts'

const TODAY = 20260315
const SENTENCE = /Thoughts of death or self-harm are reported: .* whatever the total\./

const readmission = sourceOf('readmission30')
const source: Source = {
  ...readmission,
  wanted: { ...readmission.wanted, scales: EVERYTHING.scales.filter(({ id }) => id === 'phq9') },
}
const settings: CardSettings = {
  hooks: ['encounter-discharge'],
  modelUrl: 'https://a.example/model-card',
  pageUrl: 'https://a.example/',
  mayFetch: false,
  isWide: false,
}

function cardsOf(
  selfHarm: number,
  more: Partial<CardSettings> = {},
  prefetch: Resource = {},
  by: Source = source,
): readonly Resource[] {
  const name = 'phq9_selfHarm'
  const code = { coding: [{ system: FIELD_SYSTEM, code: name }] }
  const item = observation(name, name, { value: selfHarm }, { code })
  const body = request({ observations: searchset(item), responses: null, ...prefetch })
  const { text } = answerHook(body, by, { ...settings, ...more }, TODAY)
  return (JSON.parse(text) as { cards: readonly Resource[] }).cards
}

test('the sentence is the first line below the table, and the card warns', () => {
  const [card = {}] = cardsOf(1, { warnFrom: 0.99 })
  assert.equal(card['indicator'], 'warning')
  assert.match(String(card['detail']), new RegExp(`\\n\\n- \\*\\*${SENTENCE.source}\\*\\*`))
})

test('without such thoughts the card has another indicator and no sentence', () => {
  const [card = {}] = cardsOf(0, { warnFrom: 0.99 })
  assert.equal(card['indicator'], 'info')
  assert.doesNotMatch(String(card['detail']), SENTENCE)
})

test('a critical risk stays critical', () => {
  assert.equal(cardsOf(1, { criticalFrom: 0 })[0]?.['indicator'], 'critical')
})

test('a risk below showFrom has a card only with an item that asks for action', () => {
  assert.deepEqual([cardsOf(0, { showFrom: 0.99 }).length, cardsOf(3, { showFrom: 0.99 }).length], [0, 1])
})

// The summary prints all four decimals of a risk.
const [plain = {}] = cardsOf(0)
const risk = Number((Number(/([\d.]+) %$/.exec(String(plain['summary']))?.[1]) / 100).toFixed(4))
const NEAR = [
  ['above', risk + 0.0001, 0, 'info'],
  ['at', risk, 1, 'critical'],
  ['below', risk - 0.0001, 1, 'critical'],
] as const
for (const [where, limit, cards, indicator] of NEAR) {
  test(`showFrom, warnFrom and criticalFrom ${where} the risk of a patient`, () => {
    assert.equal(cardsOf(0, { showFrom: limit }).length, cards)
    assert.equal(cardsOf(0, { criticalFrom: limit, warnFrom: 1 })[0]?.['indicator'], indicator)
    const warned = indicator === 'critical' ? 'warning' : indicator
    assert.equal(cardsOf(0, { warnFrom: limit })[0]?.['indicator'], warned)
  })
}

for (const [where, threshold, , indicator] of NEAR) {
  const isYes = indicator === 'critical'
  test(`where the settings say nothing, a threshold ${where} the risk makes the card ${isYes ? 'a warning' : 'plain'}`, () => {
    // The model has a threshold of its own, which counts where the deployment answers a number.
    const own = source.model.threshold?.risk ?? 1
    assert.equal(cardsOf(0)[0]?.['indicator'], risk >= own ? 'warning' : 'info')
    const model = { ...source.model, threshold: { ...source.model.threshold, risk: threshold } }
    const number = { ...source, model } as Source
    const flag: Source = { ...source, output: { kind: 'yes-no', threshold } }
    for (const by of [number, flag])
      assert.equal(cardsOf(0, {}, {}, by)[0]?.['indicator'], isYes ? 'warning' : 'info')
  })
}

test('a card without a risk has it too', () => {
  const [card = {}] = cardsOf(2, {}, { patient: patient({ gender: undefined }) })
  assert.match(String(card['summary']), /no risk, because sex is missing/)
  assert.equal(card['indicator'], 'warning')
  assert.match(String(card['detail']), SENTENCE)
  const [other = {}] = cardsOf(0, {}, { patient: patient({ gender: undefined }) })
  assert.equal(other['indicator'], 'info')
})
