/** Readings in the form: each beside the points that follow from it and the band that it lies in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axeFaults, fillPatient, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { open, served } = await useWorkbench()

/** The page's language · the reading · what stands below its item. */
const NOTES = [
  ['en-GB', 'news2_pulse', '115', '2 points from Pulse, 111 to 130'],
  ['en-GB', 'news2_temperature', '35', '3 points from Temperature, 35 or less'],
  ['en-GB', 'must_bmi', '20', '1 point from Body mass index, 18.5 to 20'],
  ['es-ES', 'news2_pulse', '40', '3 puntos por Pulso, 40 o menos'],
] as const
for (const [locale, item, value, note] of NOTES)
  test(`${item} of ${value} in ${locale}: ${note}`, async () => {
    const { page, close } = await open({ locale })
    await signIn(page, served.key)
    await fillPatient(page)
    await page.locator(`[data-scale=${item.split('_')[0] ?? ''}] summary`).click()
    await page.fill(`#field-${item}Reading`, value)
    const found = page.locator(`[data-field="${item}"] .reading-note`)
    await found.waitFor()
    assert.equal(await found.innerText(), note)
    const [reading, own] = await Promise.all(
      [`${item}Reading`, item].map((name) => page.locator(`[data-field="${name}"]`).boundingBox()),
    )
    assert.ok(Math.abs((reading?.y ?? 0) - (own?.y ?? 1_000)) < 2, 'they stand side by side')
    assert.deepEqual(await axeFaults(page), [])
    await close()
  })
