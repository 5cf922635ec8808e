/**
 * The load generator: a separate process that sends one body repeatedly over a few kept connections, and counts.
 * `node bench/client.ts PORT PATH KEY BODY_FILE CONNECTIONS SECONDS [WARM_SECONDS]` prints one line of JSON. With
 * WARM_SECONDS only what is answered after them counts: a client whose code is being compiled takes the
 * processor from its server. Without, everything counts to its end, which suits requests that take as long as the run.
 */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

const [port, path, key, file, connections, seconds, warmSeconds = '0'] = process.argv.slice(2) as [
  string,
  ...string[],
]
const body = readFileSync(file as string)
const request = Buffer.concat([
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  ),
  body,
])
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const durations: number[] = []
const hasWindow = Number(warmSeconds) > 0
const startedAt = performance.now() + Number(warmSeconds) * 1000
const deadline = startedAt + Number(seconds) * 1000
let refused = 0
/** Every answer, also those that are not timed. */
let answers = 0
let running = Number(connections)

for (let each = 0; each < Number(connections); each++) openConnection()

function openConnection(): void {
  const socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true })
  let sentAt = 0
  let missing = 0
  let wasRefused = false
  let head: Buffer = Buffer.alloc(0)
  const send = (): void => {
    sentAt = performance.now()
    socket.write(request)
  }
  const answered = (): void => {
    const now = performance.now()
    answers++
    // On a busy machine the audit may miss its time limit. Such answers are reported as refused.
    if (wasRefused) refused++
    else if (!hasWindow || (now >= startedAt && now <= deadline)) durations.push(now - sentAt)
    wasRefused = false
    if (now < deadline) send()
    else {
      socket.end()
      running--
      if (running === 0) report()
    }
  }
  socket.on('connect', send)
  socket.on('error', (error) => fail(error.message))
  socket.on('data', (part: Buffer) => {
    if (missing > 0) {
      missing -= part.length
      if (missing === 0) answered()
      return
    }
    head = head.length === 0 ? part : Buffer.concat([head, part])
    const end = head.indexOf(END_OF_HEAD)
    if (end < 0) return
    const text = head.toString('latin1', 0, end)
    if (text.startsWith('HTTP/1.1 503')) wasRefused = true
    else if (!text.startsWith('HTTP/1.1 200')) fail(head.toString('latin1'))
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
    missing = length - (head.length - end - END_OF_HEAD.length)
    head = Buffer.alloc(0)
    if (missing === 0) answered()
  })
}

function fail(reason: string): never {
  process.stderr.write(`the server did not answer: ${reason}\n`)
  process.exit(1)
}

function report(): void {
  if (durations.length === 0) fail('it refused every request')
  durations.sort((a, b) => a - b)
  const at = (share: number): number => durations[Math.floor(share * (durations.length - 1))] as number
  process.stdout.write(
    `${JSON.stringify({
      requests: durations.length,
      answers,
      refused,
      seconds: hasWindow ? Number(seconds) : (performance.now() - startedAt) / 1000,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
    })}\n`,
  )
}
