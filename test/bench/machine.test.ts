/** When a machine counts as idle, so that a run on it may be recorded. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ticks, judgeBefore, judgeRun, readTicks } from '../../bench/machine.ts'

const START: Ticks = { all: 10_000, used: 2_000, stolen: 100, own: 500 }
const after = (used: number, own: number, stolen = 0): Ticks => ({
  all: START.all + 1_000,
  used: START.used + used,
  own: START.own + own,
  stolen: START.stolen + stolen,
})

const BEFORE = [
  ['nothing else runs', after(10, 0), 0.2, true],
  ['others take 5 %', after(50, 0), 0.2, true],
  ['others take more than 5 %', after(51, 0), 0.2, false],
  ['the load is half the processors', after(10, 0), 1, true],
  ['the load is above half the processors', after(10, 0), 1.1, false],
] as const

for (const [name, end, load, isIdle] of BEFORE) {
  test(`before a run: ${name}`, () => {
    assert.equal(judgeBefore(START, end, load, 2).faults.length === 0, isIdle)
  })
}

const DURING = [
  ['the benchmark itself takes all', after(1_000, 1_000), true],
  ['others take 5 %', after(850, 800), true],
  ['others take more than 5 %', after(851, 800), false],
  ['the host takes time away, which is reported', after(700, 700, 300), true],
] as const

for (const [name, end, isIdle] of DURING) {
  test(`during a run: ${name}`, () => {
    const { faults, notes } = judgeRun(START, end)
    assert.equal(faults.length === 0, isIdle)
    assert.match(
      notes.join(),
      new RegExp(`host of the machine ${((end.stolen - START.stolen) / 10).toFixed(1)} %`),
    )
  })
}

test('the ticks of the machine contain those of this process', () => {
  const before = readTicks()
  for (const end = performance.now() + 200; performance.now() < end;);
  const { all, used, own } = readTicks()
  assert.ok(own > before.own && used > before.used && all - before.all >= used - before.used)
})
