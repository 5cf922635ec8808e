/** The README of each package: one screen, and an example that prints what it shows. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const MOST_LINES = 60
const EXAMPLE = /^```ts run\n(.*?)^```\n\n```text\n(.*?)^```$/ms

const packages = globSync('packages/*/package.json').map((path) => path.replace('package.json', ''))

test('every package has a README', () => {
  assert.ok(packages.length >= 9)
  assert.deepEqual(
    globSync('packages/*/README.md')
      .map((path) => path.replace('README.md', ''))
      .sort(),
    packages.toSorted(),
  )
})

for (const path of globSync('packages/*/README.md')) {
  const page = readFileSync(path, 'utf8')
  test(`${path} fits on one screen and names its package`, () => {
    const { name } = JSON.parse(readFileSync(path.replace('README.md', 'package.json'), 'utf8')) as {
      name: string
    }
    assert.ok(page.startsWith(`# ${name}\n`))
    assert.ok(page.split('\n').length <= MOST_LINES)
  })

  test(`the example of ${path} prints what it shows`, () => {
    const [, code, expected] = EXAMPLE.exec(page) ?? []
    if (code === undefined) {
      const own = path.replace('README.md', 'test/readme.test.ts')
      assert.ok(existsSync(own), 'there is no example, and no test of the package that runs one')
      return
    }
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', code], {
      encoding: 'utf8',
    })
    assert.equal(stdout, expected, stderr)
  })
}
