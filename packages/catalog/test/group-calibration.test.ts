/** A card states calibration by group where a report exists, from the report itself. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findModel } from '../src/catalog/catalog.ts'
import { groupCalibration } from '../src/pages/group-calibration.ts'
import { table } from '../src/pages/markdown.ts'
import { modelPage } from '../src/pages/model-page.ts'
import { testCatalog } from '../../../test/support/serve.ts'

const json = readFileSync('clinical/models/readmission30/report.json', 'utf8')
interface Made {
  readonly figures: { readonly groups: readonly { readonly observed: number }[] }
  readonly subgroups: { figures?: object }[]
}

test('the card of readmission30 has every group of its report', () => {
  const catalog = testCatalog()
  const page = modelPage(catalog, findModel(catalog, 'readmission30') ?? assert.fail())
  const { figures, subgroups } = JSON.parse(json) as Made
  const rows = page.split('\n').filter((line) => /^\| (risk|sex|age) /.test(line))
  assert.equal(rows.length, figures.groups.length + subgroups.length)
  assert.match(rows[0] ?? '', /7\.0 % +\| 5\.9 %/)
  const large = (part: string): string =>
    rows
      .find((row) => row.includes(part))
      ?.split('|')[5]
      ?.trim() ?? ''
  assert.match(large('age 50 to 64'), /^−0\.10 \(−0\.16 to −0\.03\)$/)
  assert.match(large('age 75 to 84'), /^\+0\.06 \(\+0\.01 to \+0\.11\)$/)
  figures.groups.forEach(({ observed }, k) => {
    assert.ok(rows[k]?.includes(`${(100 * observed).toFixed(1)} %`))
  })
})

test('a card without a report has no such table', () => {
  const catalog = testCatalog()
  assert.ok(!modelPage(catalog, findModel(catalog, 'lace') ?? assert.fail()).includes('By group'))
})

test('parts without figures are left out, a figure that could not be computed is a dash, and any other file gives nothing', () => {
  const made = JSON.parse(json) as Made
  delete made.subgroups[0]?.figures
  const changed = JSON.stringify(made).replace(/"inTheLarge":\{"value":[^,]+/, '"inTheLarge":{"value":null')
  const [, rows = ''] = groupCalibration({ json: changed, html: '' }, table)
  assert.ok(!rows.includes('sex F') && rows.includes('sex M'))
  for (const other of ['', '{}', '[1]', 'null', '{"figures":{"groups":[null]}}'])
    assert.deepEqual(groupCalibration({ json: other, html: '' }, table), [])
  const nulls = JSON.stringify(JSON.parse(json)).replaceAll(
    /"inTheLarge":\{"value":[^,]+/g,
    '"inTheLarge":{"value":null',
  )
  assert.match(groupCalibration({ json: nulls, html: '' }, table)[1] ?? '', /\| – \(/)
})
