/** A test of a model in the folder of fixtures. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { importFolder } from './import-folder.ts'

export const FIXTURES = 'packages/data/test/models/fixtures'

export function isAsItMustBe(name: string): void {
  test(`${name} is imported, or refused as it must be`, async () => {
    const { wrong } = await importFolder(join(FIXTURES, name))
    assert.equal(wrong, undefined)
  })
}
