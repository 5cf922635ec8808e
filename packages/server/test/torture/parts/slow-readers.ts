/** Callers that do not read their large answers hold a bounded amount of memory, and others are answered. */
import { type Socket, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SCORE } from '../../../../../test/support/serve.ts'
import { Client } from '../../../../../test/support/client.ts'
import type { Part, Trial, Verdict } from '../part.ts'
import { type ServiceProcess, startService } from '../../../../../test/support/service-process.ts'

const READERS = 150
const BODY = `[${'{},'.repeat(9_999)}{}]`
const ANSWER_MB = 5.5
const BOUND_MB = 64
const MOST_MB = 600
const SINGLE = '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]'
const HOUR_MS = 3_600_000
/** As if answers could wait without a bound. */
const UNGUARDED = {
  load: { answerBytes: 2 ** 40, bytes: 2 ** 40 },
  times: { requestMs: HOUR_MS, stallMs: HOUR_MS },
}

export const part: Part = {
  name: 'slow-readers',
  promise: '150 callers that do not read their answers: at most 64 MB of answers wait, memory ≤ 600 MB',
  defect: 'answers wait without a bound',
  shortScale: 0.2,
  isTimed: true,
  run,
}

async function run(trial: Trial): Promise<Verdict> {
  const service = await startService({ logLevel: 'error', ...(trial.planted ? { server: UNGUARDED } : {}) })
  const client = new Client(service, 1)
  const sockets: Socket[] = []
  try {
    // One after the other, so that the workers have room for each.
    for (let reader = 0; reader < Math.ceil(READERS * trial.scale); reader++) {
      sockets.push(unread(service))
      await sleep(150)
    }
    await sleep(2_000)
    const { status } = await client.post(SINGLE)
    const waitingMb = await heldMb(service)
    const residentMb = Math.round(service.residentMb())
    const faults = status === 200 ? [] : [`a single patient got ${status}`]
    // Some of an answer may be in the buffers of the system; one more may be within its time of grace.
    if (waitingMb > BOUND_MB + 3 * ANSWER_MB) faults.push(`${waitingMb} MB of answers wait`)
    if (residentMb > MOST_MB) faults.push(`${residentMb} MB are resident`)
    return { faults, figures: { readers: sockets.length, waitingMb, residentMb } }
  } finally {
    for (const socket of sockets) socket.destroy()
    client.close()
    await service.stop()
  }
}

/** What the service holds: a socket that does not read does not notice that its connection was ended. */
async function heldMb({ origin }: ServiceProcess): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text()
  return Math.round(Number(/^patient_risk_body_bytes_in_flight (\d+)$/m.exec(text)?.[1]) / 1e6)
}

function unread({ port, key }: ServiceProcess): Socket {
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => undefined)
  socket.write(
    `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  )
  return socket.pause()
}
