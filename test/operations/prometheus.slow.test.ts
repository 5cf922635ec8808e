/** The files for Prometheus and for logs, with the programs that read them; a real Prometheus answers every query of the dashboard. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '../support/client.ts'
import { startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { DASHBOARD, type Dashboard } from './monitoring-files.ts'

const FOLDER = 'ops/prometheus'
const without = (program: string): false | string =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0 ? false : `${program} is not installed`

const PROMTOOL: readonly (readonly string[])[] = [
  ['check', 'config', '--syntax-only', 'prometheus.yml'],
  ['check', 'rules', 'patient-risk-alerts.yml'],
  ['test', 'rules', 'patient-risk-alerts.test.yml'],
]
for (const args of PROMTOOL) {
  test(`promtool ${args.join(' ')}`, { skip: without('promtool') }, () => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
  })
}

test('logrotate takes its file', { skip: without('logrotate') }, () => {
  const { status, stderr } = spawnSync('logrotate', ['-d', 'ops/logs/logrotate.conf'], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.doesNotMatch(stderr, /error:/)
})

test(
  'the Kubernetes manifests have the form that Kubernetes asks for',
  { skip: without('kubeconform') },
  () => {
    const { status, stdout, stderr } = spawnSync(
      'kubeconform',
      ['-strict', '-summary', 'ops/kubernetes/patient-risk.yaml'],
      { encoding: 'utf8' },
    )
    // The schemas come from the network.
    if (!(stdout + stderr).includes('failed downloading schema')) assert.equal(status, 0, stdout + stderr)
  },
)

test(
  'Prometheus scrapes the service and has data for every panel',
  { skip: without('prometheus') },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'patient-risk-prometheus-'))
    const service = await startService({ logLevel: 'error' })
    let prometheus: ChildProcess | undefined
    try {
      cpSync(FOLDER, folder, { recursive: true })
      const config = readFileSync(join(folder, 'prometheus.yml'), 'utf8')
        .replaceAll('15s', '1s')
        .replace(/'127.0.0.1:8081', '127.0.0.1:8082'/, `'127.0.0.1:${service.port}'`)
      writeFileSync(join(folder, 'prometheus.yml'), config)
      const port = await freePort()
      prometheus = spawn(
        'prometheus',
        [
          '--config.file',
          'prometheus.yml',
          '--storage.tsdb.path',
          'data',
          '--web.listen-address',
          `127.0.0.1:${port}`,
        ],
        { cwd: folder, stdio: 'ignore' },
      )
      const client = new Client(service, 1)
      const query = async (expr: string): Promise<number> => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`)
        const { data } = (await answer.json()) as { data: { result: unknown[] } }
        return data.result.length
      }
      const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard
      for (const { title, targets } of panels) {
        for (const { expr } of targets) {
          const hasData = async (): Promise<true | undefined> => {
            await client.post('[{"idx":1}]')
            return (await query(expr).catch(() => 0)) > 0 ? true : undefined
          }
          await until(hasData, { timeoutMs: 30_000 }).catch((cause: unknown) => {
            throw new Error(`no data: ${title}: ${expr}`, { cause })
          })
        }
      }
      client.close()
    } finally {
      if (prometheus !== undefined) {
        const ended = once(prometheus, 'exit')
        prometheus.kill()
        await ended
      }
      await service.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
