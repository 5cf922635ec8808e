/** Every reachable total of every scale, in each coding and for each sex, has the band of an independent table. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScaleState } from '../../src/explain/scale-states.ts'
import { cdrGlobal } from '../../src/plan/cdr-global.ts'
import { Random } from '../../../../test/support/random.ts'
import { SCALES, type ScaleFacts, type SchemeFacts } from './bands.ts'
import { type Describe, catalog, describer } from './describe.ts'

/** Codings by scale: what a total in this coding lies above the one in `bands.txt`. */
const CODINGS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  cirs: { '0-4': 0, '1-5': 14 },
  charlson: { folded: 0, lines: 0 },
}
/** A sex that is missing, and one that does not exist. */
const SEXES = ['F', 'M', 'X', null, 'Q']

type Band = Pick<ScaleState, 'band' | 'scheme' | 'verified'>
const NONE: Band = { band: null, scheme: null, verified: false }

function bandIn({ bands, name, isConfirmed }: SchemeFacts, value: number): Band {
  const found = bands.filter(({ from, to }) => value >= from && value <= to)
  assert.equal(found.length, 1, `${name} ${value}`)
  return { band: found[0]?.label ?? '', scheme: name, verified: isConfirmed }
}

/** The band of a total that is given without anything else but sex and coding. */
function bandOfTotal({ id, schemes }: ScaleFacts, total: number, sex: string | null, chosen?: string): Band {
  const inUse = schemes.filter(({ name, isDefault }) => (chosen === undefined ? isDefault : name === chosen))
  const scheme = inUse.find((each) => each.given === undefined && (each.sex ?? sex) === sex)
  if (scheme === undefined || scheme.of === 'global') return NONE
  // One of seven items may be the 3 that makes it low-medium.
  if (id === 'news2' && (total === 3 || total === 4)) return NONE
  // The index follows from the total alone; the comorbidity index of CIRS does not.
  if (scheme.of === 'index') return bandIn(scheme, Math.round(total * 4) / 100)
  return scheme.of === 'total' ? bandIn(scheme, total) : NONE
}

function only(states: readonly ScaleState[]): ScaleState {
  assert.equal(states.length, 1)
  return states[0] as ScaleState
}

test('the table has the scales and schemes of the catalogue, and no others', () => {
  const key = (scale: string, scheme: string, sex = ''): string => `${scale} ${scheme} ${sex}`
  const inTable = SCALES.flatMap(({ id, schemes }) => schemes.map(({ name, sex }) => key(id, name, sex)))
  const inFiles = [...catalog.scales.values()].flatMap(({ id, bands = [] }) =>
    bands.map(({ scheme, sex }) => key(id, scheme, sex)),
  )
  assert.deepEqual(inTable.sort(), inFiles.sort())
  assert.equal(SCALES.length, 49)
})

const byDefault = describer()
for (const scale of SCALES) {
  const { id, totals, schemes } = scale
  const names = [...new Set(schemes.map(({ name }) => name))]
  const all: readonly (readonly [string | undefined, Describe])[] = [
    [undefined, byDefault],
    ...names.map((name) => [name, describer({ bands: { [id]: name } })] as const),
  ]
  test(`${id}: ${totals.length} totals by default and in ${names.length} schemes, for each sex and coding`, () => {
    for (const [coding, above] of Object.entries(CODINGS[id] ?? { '': 0 })) {
      for (const sex of SEXES) {
        for (const base of totals) {
          const total = base + above
          const record = { sex, [`${id}_total`]: total, ...(coding && { [`${id}_coding`]: coding }) }
          for (const [chosen, describe] of all) {
            const { band, scheme, verified } = bandOfTotal(scale, base, sex, chosen)
            const state = only(describe(record))
            const isRight =
              state.scale === id &&
              state.total === total &&
              state.complete &&
              state.given === 0 &&
              state.band === band &&
              state.scheme === scheme &&
              state.verified === verified
            // A comparison of objects would take most of the time.
            if (!isRight)
              assert.deepEqual(state, { total, band, scheme, verified }, `${chosen} ${sex} ${coding}`)
          }
        }
      }
    }
  })
}

test('complete items have the total and the band of their sum, in every scale', () => {
  const random = new Random(27)
  for (const scale of SCALES) {
    const { id, schemes } = scale
    const { items, total, codings } = catalog.scales.get(id) ?? assert.fail(id)
    if (total !== 'sum' || Object.keys(items).length === 0 || schemes.every(({ isDefault }) => !isDefault))
      continue
    for (let round = 0; round < 300; round++) {
      const names = codings?.forms['folded']?.items ?? Object.keys(items)
      const values = names.map((name) => random.pick(items[name]?.values ?? []))
      const sum = values.reduce((all, value) => all + value, 0)
      const record = Object.fromEntries(names.map((name, at) => [`${id}_${name}`, values[at]]))
      const isRed = id === 'news2' && sum <= 4 && values.includes(3)
      // The global score of the CDR follows from its boxes, the first of which is memory.
      const [memory = 0, ...others] = values
      const ofCdr = (): number => cdrGlobal(memory, others)
      const isDirect = (id === 'news2' && sum <= 4) || id === 'cdr'
      const bare = isDirect
        ? bandIn(schemes[0] as SchemeFacts, id === 'cdr' ? ofCdr() : sum)
        : bandOfTotal(scale, sum, 'F')
      assert.deepEqual(only(byDefault({ sex: 'F', ...record })), {
        ...{ scale: id, total: sum, complete: true, given: names.length, needed: names.length },
        ...(isRed ? { ...bare, band: 'low-medium' } : bare),
      })
    }
  }
})

/** Schooling · what one error more or less means · the lines of the questionnaire for it. */
const SPMSQ = [
  ['gradeSchoolOnly', [3, 5, 8]],
  ['highSchool', [2, 4, 7]],
  ['beyondHighSchool', [1, 3, 6]],
] as const
test('SPMSQ by schooling: 33 cases, and 11 without it', () => {
  const [adjusted, counted] = ['adjusted for schooling', 'schooling unknown, errors as counted']
  const wordFor = (errors: number, lines: readonly number[]): string =>
    ['intact', 'mild impairment', 'moderate impairment', 'severe impairment'][
      lines.filter((line) => errors > line).length
    ] ?? ''
  for (let errors = 0; errors <= 10; errors++) {
    for (const [spmsq_education, lines] of SPMSQ) {
      const { band, scheme, total } = only(byDefault({ spmsq_total: errors, spmsq_education }))
      assert.deepEqual([band, scheme, total], [wordFor(errors, lines), `Pfeiffer 1975, ${adjusted}`, errors])
    }
    for (const education of [null, 'unknown']) {
      const { band, scheme } = only(byDefault({ spmsq_total: errors, spmsq_education: education }))
      assert.deepEqual([band, scheme], [wordFor(errors, [2, 4, 7]), `Pfeiffer 1975, ${counted}`])
    }
  }
})

test('CDR: the global score has its band with, without and beside the boxes', () => {
  const scheme = SCALES.find(({ id }) => id === 'cdr')?.schemes[0] ?? assert.fail()
  for (const global of [0, 0.5, 1, 2, 3]) {
    for (const boxes of [{}, { cdr_memory: 1 }, { cdr_total: 6 }]) {
      const { band, scheme: name, verified } = only(byDefault({ cdr_global: global, ...boxes }))
      assert.deepEqual({ band, scheme: name, verified }, bandIn(scheme, global))
    }
  }
  assert.equal(only(byDefault({ cdr_global: 0.7 })).band, null)
})

test('the comorbidity index of CIRS, given or computed, in both codings', () => {
  const [facts] = SCALES.find(({ id }) => id === 'cirs')?.schemes ?? []
  const scheme = facts ?? assert.fail()
  const describe = describer({ bands: { cirs: scheme.name } })
  const names = Object.keys(catalog.scales.get('cirs')?.items ?? {})
  for (const [coding, shift] of [
    ['0-4', 0],
    ['1-5', 1],
  ] as const) {
    for (let count = 0; count <= 13; count++) {
      const items = names.map((name, at) => [`cirs_${name}`, (at < count ? 2 : 1) + shift] as const)
      const states = [
        describe({ cirs_coding: coding, cirs_comorbidityIndex: count }),
        describe({ cirs_coding: coding, ...Object.fromEntries(items) }),
      ]
      for (const { band, scheme: name, verified } of states.map(only))
        assert.deepEqual({ band, scheme: name, verified }, bandIn(scheme, count))
    }
  }
})
