/** The shipped files of nginx and haproxy, run for real: a stream of 50 MB passes through both. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { SCORE } from '../support/serve.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const LINES = 400_000
/** Where Debian's package puts it; other builds have the module inside. */
const STREAM_MODULE = '/usr/lib/nginx/modules/ngx_stream_module.so'
const PADDING = 'x'.repeat(24)
const isHere = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

let folder: string
let service: ServiceProcess
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'patient-risk-proxies-'))
  // The workers of nginx run as another user.
  chmodSync(folder, 0o755)
  service = await startService({ logLevel: 'error' })
  const name = [
    '-subj',
    '/CN=localhost',
    '-keyout',
    join(folder, 'key.pem'),
    '-out',
    join(folder, 'chain.pem'),
  ]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...name], {
    stdio: 'ignore',
  })
  writeFileSync(
    join(folder, 'both.pem'),
    ['chain.pem', 'key.pem'].map((each) => readFileSync(join(folder, each), 'utf8')).join(''),
  )
})
after(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

const withCertificate = (text: string): string =>
  text
    .replace('/etc/ssl/patient-risk/fullchain.pem', join(folder, 'chain.pem'))
    .replace('/etc/ssl/patient-risk/privkey.pem', join(folder, 'key.pem'))
    .replace('/etc/ssl/patient-risk/both.pem', join(folder, 'both.pem'))

function startNginx(sections: string): ChildProcess {
  const file = join(folder, 'nginx.conf')
  const load = existsSync(STREAM_MODULE) ? `load_module ${STREAM_MODULE};` : ''
  writeFileSync(
    file,
    `pid ${folder}/nginx.pid;\nerror_log stderr;\n${load}\nevents {}\n${withCertificate(sections)}`,
  )
  return spawn('nginx', ['-p', folder, '-c', file, '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** How each proxy is started with its shipped file; only addresses and certificates are replaced. */
const PROXIES: Readonly<Record<string, (port: number) => ChildProcess>> = {
  nginx(port) {
    const site = readFileSync('ops/nginx/patient-risk.conf', 'utf8')
      .replace('127.0.0.1:8080', `127.0.0.1:${service.port}`)
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((each) => `${each}_temp_path ${folder}/${each};`)
      .join('\n')
    return startNginx(`http {\n${paths}\n${site}\n}\n`)
  },
  'the stream port of nginx'(port) {
    return startNginx(
      readFileSync('ops/nginx/patient-risk-streams.conf', 'utf8')
        .replace('127.0.0.1:8080', `127.0.0.1:${service.port}`)
        .replace('listen 8443 ssl', `listen 127.0.0.1:${port} ssl`),
    )
  },
  haproxy(port) {
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(
      file,
      withCertificate(readFileSync('ops/haproxy/haproxy.cfg', 'utf8'))
        .replace('bind :443', `bind 127.0.0.1:${port}`)
        .replaceAll(/127\.0\.0\.1:808[12]/g, `127.0.0.1:${service.port}`),
    )
    return spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] })
  },
}

async function through<T>(name: string, act: (port: number) => Promise<T>): Promise<T> {
  const port = await freePort()
  const proxy = PROXIES[name]?.(port) as ChildProcess
  try {
    return await act(port)
  } finally {
    if (proxy.exitCode === null) {
      const ended = once(proxy, 'exit')
      proxy.kill('SIGTERM')
      await ended
    }
  }
}

const without = (name: string): false | string => (isHere(name) ? false : `${name} is not installed`)
const passesStreams =
  isHere('nginx') &&
  (existsSync(STREAM_MODULE) ||
    /--with-stream( |$)/.test(spawnSync('nginx', ['-V'], { encoding: 'utf8' }).stderr))

const STREAMS = [
  ['haproxy', without('haproxy')],
  ['the stream port of nginx', passesStreams ? false : 'nginx with its stream module is not installed'],
] as const

for (const [name, skip] of STREAMS) {
  test(`a stream of ${LINES} lines passes through ${name}`, { skip }, async () => {
    const { status, lines, bytes } = await through(name, stream)
    assert.deepEqual([status, lines], [200, LINES])
    assert.ok(bytes > 50_000_000, `${bytes} bytes sent`)
  })
}

// nginx's http module cannot pass a body in one direction while an answer passes in the other; see its file.
test(
  'the http port of nginx refuses a stream and passes a body of 15 MB',
  { skip: without('nginx') },
  async () => {
    await through('nginx', async (port) => {
      const refused = await ready(port, (status) => status === 415)
      assert.match(refused.text, /Streams of records do not pass/)
      const large =
        '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}'.padEnd(
          15_000_000,
        ) + ']'
      const { status, text } = await send(port, 'application/json', [large])
      assert.equal(status, 200)
      assert.match(text, /^\[\{"idx":1,"risk":0\.\d+/)
    })
  },
)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

interface Streamed {
  readonly status: number
  readonly lines: number
  readonly bytes: number
  /** The beginning of the answer. */
  readonly text: string
}

/** Waits until the proxy listens and has seen that the service is ready. */
async function ready(port: number, isReady: (status: number) => boolean): Promise<Streamed> {
  const answered = async (): Promise<Streamed | undefined> => {
    const answer = await send(port, 'application/x-ndjson', records(1)).catch(() => undefined)
    return answer !== undefined && isReady(answer.status) ? answer : undefined
  }
  return until(answered, { what: 'the answer of the proxy' })
}

async function stream(port: number): Promise<Streamed> {
  await ready(port, (status) => status === 200)
  return send(port, 'application/x-ndjson', records(LINES))
}

function* records(count: number): Generator<string> {
  for (let from = 0; from < count; from += 500) {
    const idxs = Array.from({ length: Math.min(500, count - from) }, (_each, place) => from + place)
    yield idxs
      .map(
        (idx) =>
          `{"idx":${idx},"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7,"note":"${PADDING}"}\n`,
      )
      .join('')
  }
}

/** Sends the parts and reads the answer at the same time. */
async function send(port: number, type: string, parts: Iterable<string>): Promise<Streamed> {
  const call = request({
    port,
    host: '127.0.0.1',
    path: SCORE,
    method: 'POST',
    rejectUnauthorized: false,
    headers: { authorization: `Bearer ${service.key}`, 'content-type': type },
  })
  let bytes = 0
  function* counted(): Generator<string> {
    for (const part of parts) {
      bytes += part.length
      yield part
    }
  }
  // A refusal may come before all is sent; what counts is the answer.
  const sending = pipeline(Readable.from(counted()), call).catch(() => undefined)
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  let lines = 0
  let text = ''
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (text.length < 1_000) text += chunk.toString()
    for (const byte of chunk) if (byte === 10) lines++
  }
  await sending
  return { status: response.statusCode ?? 0, lines, bytes, text }
}
