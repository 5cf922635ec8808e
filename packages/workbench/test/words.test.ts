/** Figures in words: as many digits as keep a comparison true. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

interface Words {
  risk(probability: number, threshold?: number, decimals?: number): string
  threshold(probability: number): string
  duration(count: number, unit: string): string
}

/** What is tested of the page. It imports JSON as a bundler does, so it is bundled here too. */
interface Page {
  makeWords(language: 'en' | 'es', locale: string): Words
  decimalsOfDifference(before: number, now: number): number
}

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('../src/i18n/words.ts', import.meta.url))],
  bundle: true,
  format: 'esm',
  write: false,
})
const text = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
const page = (await import(`data:text/javascript;base64,${text}`)) as Page
const en = page.makeWords('en', 'en-GB')
const es = page.makeWords('es', 'es-ES')

for (const [risk, threshold, shown] of [
  [0.1496, 0.15, '14.96%'],
  [0.1495, 0.15, '14.95%'],
  [0.1494, 0.15, '14.9%'],
  [0.15, 0.15, '15.0%'],
  [0.1504, 0.15, '15.0%'],
  [0.2284, 0.228, '22.8%'],
  [0.2279, 0.228, '22.79%'],
  [0.228, 0.228, '22.8%'],
  [0.0701, 0.07, '7.0%'],
  [0.1523, 0.1525, '15.2%'],
  [0.1526, 0.1528, '15.26%'],
  [0.2294, undefined, '22.9%'],
  [0.0001, 0.15, '< 0.1%'],
  [0.9999, 0.15, '> 99.9%'],
] as const) {
  test(`a risk of ${risk} beside a threshold of ${threshold ?? 'none'} reads ${shown}`, () => {
    assert.equal(en.risk(risk, threshold), shown)
  })
}

test('a risk never reads on the other side of its threshold', () => {
  for (let unit = 5; unit < 9_995; unit += 7) {
    for (const threshold of [0.15, 0.228, 0.1525, 0.122, unit / 10_000, (unit + 3) / 10_000]) {
      const risk = unit / 10_000
      const shown = Number(`${parseFloat(en.risk(risk, threshold))}e-2`)
      assert.equal(shown >= threshold, risk >= threshold, `${risk} and ${threshold}`)
    }
  }
})

for (const [threshold, shown] of [
  [0.15, '15.0%'],
  [0.228, '22.8%'],
  [0.1525, '15.25%'],
] as const) {
  test(`a threshold of ${threshold} reads ${shown}`, () => assert.equal(en.threshold(threshold), shown))
}

for (const [before, now, decimals] of [
  [0.2294, 0.1815, 2],
  [0.2294, 0.1812, 1],
  [0.1, 0.1, 1],
  [0.1004, 0.0996, 2],
] as const) {
  test(`from ${before} to ${now} with ${decimals} decimals`, () => {
    assert.equal(page.decimalsOfDifference(before, now), decimals)
  })
}

test('times in words', () => {
  assert.deepEqual(
    [en.duration(5, 'year'), en.duration(1, 'week'), en.duration(0, 'month')],
    ['5 years', '1 week', 'months'],
  )
  assert.deepEqual([es.duration(5, 'year'), es.duration(0, 'week')], ['5 años', 'semanas'])
})
