/** The configuration: its page is current, faults are reported together with a near name, and secrets come from files. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { CONFIGURATION_PAGE, configurationPage } from '../../scripts/configuration.ts'
import { readConfig } from '../../src/config.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-config-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('the page of the configuration is made from its schema', async () => {
  assert.equal(
    readFileSync(CONFIGURATION_PAGE, 'utf8'),
    await configurationPage(),
    'run: node scripts/configuration.ts',
  )
})

test('all faults are reported at once, with the near name of a mistyped one', () => {
  const path = join(folder, 'faulty.json')
  const deployment = { name: 'a', basePath: '/a', model: 'readmission30', output: 'number' }
  writeFileSync(
    path,
    JSON.stringify({
      sever: {},
      timeZone: 'Mars/North',
      audit: { retentionDay: 3 },
      deployments: [
        deployment,
        { ...deployment, name: 'b' },
        { ...deployment, name: 'c', basePath: '/c', tresholds: 1 },
      ],
    }),
  )
  const { faults } = readConfig({ CONFIG: path, PORT: 'x' }, {})
  const text = faults.map(({ path: place, message }) => `${place} ${message}`).join('\n')
  for (const expected of [
    /^PORT must be a port number/m,
    /^\/sever is not known; did you mean "server"\?/m,
    /^\/audit\/retentionDay is not known; did you mean "retentionDays"\?/m,
    /^\/timeZone is not a known time zone/m,
    /^\/deployments\/1\/basePath is the same as in \/deployments\/0/m,
    /^\/deployments\/2\/tresholds is not known; did you mean "threshold"\?/m,
  ]) {
    assert.match(text, expected)
  }
})

test('secrets come from files', () => {
  const file = join(folder, 'secret')
  writeFileSync(file, 'from a file\n')
  const { config } = readConfig({ KEY_SECRET_FILE: file, DATABASE_URL_FILE: file }, {})
  assert.deepEqual([config?.keySecret, config?.databaseUrl], ['from a file', 'from a file'])
  for (const env of [{ KEY_SECRET_FILE: join(folder, 'none') }, { KEY_SECRET_FILE: file, KEY_SECRET: 'x' }]) {
    assert.equal(readConfig(env, {}).faults.length, 1)
  }
})
