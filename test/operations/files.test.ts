/** Files for operators: checked with the programs that read them where these are installed, else by their structure. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { checkConfigFile, DEFAULT_SERVER_SETTINGS } from '@patient-risk/catalog/config'
import { FaultList } from 'patient-risk-engine/definition'
import { Connections, TrustedProxies, Metrics, Load } from '@patient-risk/server'
import { DOCUMENTS } from '../support/document-pages.ts'

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'patient-risk-ops-'))
})
after(() => rmSync(folder, { recursive: true }))

const read = (file: string): string => readFileSync(file, 'utf8')
const isHere = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const without = (program: string): false | string => (isHere(program) ? false : `${program} is not installed`)

/** A certificate for the proxies' own checks. */
function certificate(): { readonly key: string; readonly chain: string; readonly both: string } {
  const key = join(folder, 'privkey.pem')
  const chain = join(folder, 'fullchain.pem')
  const both = join(folder, 'both.pem')
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '1',
      '-subj',
      '/CN=test',
      '-keyout',
      key,
      '-out',
      chain,
    ],
    { stdio: 'ignore' },
  )
  writeFileSync(both, read(chain) + read(key))
  return { key, chain, both }
}

test('nginx takes its file', { skip: without('nginx') }, () => {
  const { key, chain } = certificate()
  const site = read('ops/nginx/patient-risk.conf')
    .replace('/etc/ssl/patient-risk/privkey.pem', key)
    .replace('/etc/ssl/patient-risk/fullchain.pem', chain)
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\n${site}\n}\n`)
  const { status, stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', file], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})

test('haproxy takes its file', { skip: without('haproxy') }, () => {
  const { both } = certificate()
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, read('ops/haproxy/haproxy.cfg').replace('/etc/ssl/patient-risk/both.pem', both))
  const { status, stderr, stdout } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' })
  assert.equal(status, 0, stderr + stdout)
})

for (const name of ['patient-risk.service', 'patient-risk@.service']) {
  test(`systemd takes ${name}`, { skip: without('systemd-analyze') }, () => {
    const unit = join(folder, name.replace('@', '@8081'))
    const node = '/opt/patient-risk/current/node_modules/.bin/node'
    const text = read(`ops/systemd/${name}`)
    assert.ok(text.includes(`ExecStart=${node} `))
    writeFileSync(unit, text.replace(node, process.execPath))
    const { stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
    assert.doesNotMatch(stderr, /patient-risk/)
  })
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: unknown
}

interface Pod {
  readonly containers: readonly {
    readonly name: string
    readonly env: readonly { readonly name: string; readonly value: string }[]
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  }[]
  readonly volumes: readonly {
    readonly name: string
    readonly secret?: { readonly items: readonly { readonly path: string }[] }
  }[]
}

test('the Kubernetes manifests belong together, and their configuration is sound', () => {
  const documents = parseAllDocuments(read('ops/kubernetes/patient-risk.yaml'))
  assert.ok(Array.isArray(documents))
  for (const document of documents) assert.deepEqual(document.errors, [])
  const manifests = documents.map((document) => document.toJS() as Manifest)
  assert.deepEqual(
    manifests.map(({ kind }) => kind),
    [
      'Deployment',
      'ConfigMap',
      'Service',
      'PodDisruptionBudget',
      'NetworkPolicy',
      'StatefulSet',
      'Service',
      'NetworkPolicy',
    ],
  )
  manifests.forEach(({ metadata }, index) =>
    assert.equal(metadata.name, index < 5 ? 'patient-risk' : 'patient-risk-database'),
  )
  const faults = new FaultList('config.json')
  checkConfigFile(JSON.parse(manifests[1]?.data?.['config.json'] ?? ''), faults)
  assert.deepEqual(faults.faults, [])
  const service = JSON.stringify(manifests[0])
  const database = JSON.stringify(manifests[5])
  for (const needed of ['/health/ready', '/health/live']) assert.ok(service.includes(needed), needed)
  for (const needed of [
    '"runAsNonRoot":true',
    '"readOnlyRootFilesystem":true',
    '"drop":["ALL"]',
    '"limits":{"memory"',
  ]) {
    assert.ok(service.includes(needed) && database.includes(needed), needed)
  }
})

test('the Kubernetes manifests read secrets from files that they mount, as the compose file does', () => {
  const pods = parseAllDocuments(read('ops/kubernetes/patient-risk.yaml'))
    .map((document) => (document.toJS() as { spec?: { template?: { spec: Pod } } }).spec?.template?.spec)
    .filter((pod) => pod !== undefined)
  const [compose] = parseAllDocuments(read('compose.yaml'))
  const { services } = compose?.toJS() as {
    services: Record<string, { environment: Record<string, string> }>
  }
  for (const { containers, volumes } of pods) {
    const [{ name, env, volumeMounts } = { name: '', env: [], volumeMounts: [] }] = containers
    assert.deepEqual(
      env.map((each) => each.name).sort(),
      Object.keys(services[name]?.environment ?? {}).sort(),
      name,
    )
    for (const { name: variable, value } of env.filter((each) => each.name.endsWith('_FILE'))) {
      const mount = volumeMounts.find(({ mountPath }) => value.startsWith(`${mountPath}/`))
      const items = volumes.find((each) => each.name === mount?.name)?.secret?.items ?? []
      assert.ok(
        items.some(({ path }) => value === `${mount?.mountPath}/${path}`),
        variable,
      )
    }
  }
  assert.equal(pods.length, 2)
})

test('the compose file gives the service a database and no secret of ours', () => {
  const [document] = parseAllDocuments(read('compose.yaml'))
  assert.ok(document !== undefined)
  assert.deepEqual(document.errors, [])
  const { services, secrets } = document.toJS() as {
    services: Record<string, { environment: Record<string, string>; mem_limit?: string; read_only?: boolean }>
    secrets: Record<string, { file: string }>
  }
  assert.deepEqual(Object.keys(services), ['database', 'service'])
  const { environment = {}, read_only: isReadOnly } = services['service'] ?? {}
  for (const name of ['DATABASE_URL_FILE', 'KEY_SECRET_FILE']) {
    const secret = environment[name]?.replace('/run/secrets/', '') ?? ''
    assert.match(secrets[secret]?.file ?? '', /^\.\/container\/secrets\//)
  }
  assert.equal(isReadOnly, true)
  for (const { mem_limit: limit } of Object.values(services)) assert.match(limit ?? '', /^\d+[gm]$/)
  assert.doesNotMatch(read('compose.yaml'), /PASSWORD:|SECRET:/)
})

test('every image that comes from a registry is pinned by digest, the base image of both stages by one', () => {
  const images = ['compose.yaml', 'ops/kubernetes/patient-risk.yaml'].flatMap((file) =>
    [...read(file).matchAll(/^\s+image: (\S+)/gm)].map(([, image = '']) => image),
  )
  const foreign = images.filter((image) => !image.startsWith('patient-risk:'))
  assert.equal(foreign.length, 2)
  for (const image of foreign) assert.match(image, /^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
  const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image)
  assert.equal(bases.length, 2)
  assert.equal(new Set(bases).size, 1)
  assert.match(bases[0] ?? '', /^node:24-bookworm-slim@sha256:[0-9a-f]{64}$/)
})

test('the Dockerfile installs from the package.json of every workspace', () => {
  const workspaces = globSync('{packages/*,clients/typescript}/package.json').sort()
  const copied = [...read('Dockerfile').matchAll(/^COPY (\S+\/package\.json) (\S+)$/gm)]
  assert.deepEqual(copied.map(([, file]) => file).sort(), workspaces)
  for (const [, file = '', to] of copied) assert.equal(to, file.replace(/package\.json$/, ''))
})

test('the Dockerfile runs the service as a user of its own', () => {
  const text = read('Dockerfile')
  assert.match(text, /^USER 10001$/m)
  assert.doesNotMatch(text.slice(text.indexOf('USER 10001')), /^(RUN|COPY)/m)
  const copied = [...text.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, files = '']) => files.split(' '))
  assert.deepEqual(
    copied.filter((file) => !existsSync(file)),
    [],
  )
})

test('the Grafana dashboard and the documents name metrics that the service has', async () => {
  const metrics = new Metrics([])
  const drift = { counts: () => ({}), drifts: () => [], alarms: () => Promise.resolve([]) }
  const load = new Load(DEFAULT_SERVER_SETTINGS.load)
  metrics.watch(load, new Connections(DEFAULT_SERVER_SETTINGS, new TrustedProxies([])), drift, [])
  const known = new Set([...(await metrics.print()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  load.stop()
  const dashboard = JSON.parse(read('ops/grafana/patient-risk.json')) as {
    panels: { targets: { expr: string }[] }[]
  }
  const asked = dashboard.panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(patient_risk|process|nodejs)_\w+/g) ?? []),
  )
  const documented = DOCUMENTS.flatMap(([, text]) => text.match(/\bpatient_risk_[a-z_]+\b/g) ?? [])
  assert.ok(asked.length > 10 && documented.length > 5)
  for (const name of [...asked, ...documented]) assert.ok(known.has(name.replace(/_bucket$/, '')), name)
})

test('the bill of materials lists what is installed with the service', { timeout: 120_000 }, () => {
  const out = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { bomFormat, components } = JSON.parse(out) as { bomFormat: string; components: { name: string }[] }
  assert.equal(bomFormat, 'CycloneDX')
  const names = components.map(({ name }) => name)
  for (const name of ['fastify', 'prom-client', 'pg']) assert.ok(names.includes(name), name)
})
