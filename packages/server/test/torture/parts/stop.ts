/** Stop: a service that is asked to stop under load answers everything that it has accepted, and ends in time. */
import { Client } from '../../../../../test/support/client.ts'
import { type Part, type Trial, type Verdict, randomFrom } from '../part.ts'
import { startService } from '../../../../../test/support/service-process.ts'

const STOPS = 50
const CLIENTS = 16
const MOST_SECONDS = 10
const SHORT_MOST_SECONDS = 60
const BODY = `[${Array.from({ length: 50 }, (_, idx) => `{"idx":${idx},"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}`).join(',')}]`

export const part: Part = {
  name: 'stop',
  promise: '50 SIGTERM under load: 0 failed accepted requests, exit within 10 s',
  defect: 'the service ends at once when it is asked to stop',
  shortScale: 0.04,
  isTimed: true,
  run,
}

async function run({ seed, scale, planted, say }: Trial): Promise<Verdict> {
  const random = randomFrom(seed)
  const faults: string[] = []
  const count = { stops: 0, answered: 0, afterSignal: 0, refused: 0, failed: 0 }
  let slowest = 0
  for (let round = 0; round < Math.ceil(STOPS * scale); round++) {
    const service = await startService({ logLevel: 'warn', ...(planted ? { plants: ['abrupt-stop'] } : {}) })
    let isSignalled = false
    let isDown = false
    const load = Array.from({ length: CLIENTS }, async (_, number) => {
      const client = new Client(service, 1)
      while (!isDown) {
        try {
          const { status } = await client.post(BODY)
          count.answered++
          if (isSignalled) count.afterSignal++
          // A refused request is not lost: the caller knows that it may retry.
          if (status !== 200 && status !== 503) faults.push(`status ${status} in round ${round}`)
        } catch (error) {
          isDown = true
          // Nobody listens any more: the request was never accepted.
          if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') count.refused++
          else {
            count.failed++
            faults.push(`client ${number} lost a request in round ${round}: ${(error as Error).message}`)
          }
        }
      }
      client.close()
    })
    await new Promise((resolve) => setTimeout(resolve, 100 + random() * 400))
    const start = performance.now()
    isSignalled = true
    service.child.kill('SIGTERM')
    const code = await service.exited
    const seconds = (performance.now() - start) / 1000
    isDown = true
    await Promise.all(load)
    await service.stop()
    slowest = Math.max(slowest, seconds)
    count.stops++
    if (code !== 0) faults.push(`exit code ${code} in round ${round}`)
    // The short form runs beside other tests, where times mean little.
    if (seconds > (scale === 1 ? MOST_SECONDS : SHORT_MOST_SECONDS))
      faults.push(`${seconds.toFixed(1)} s in round ${round}`)
    if (count.stops % 10 === 0) say(`${count.stops} stops`)
  }
  return { faults, figures: { ...count, slowestSeconds: slowest.toFixed(2) } }
}
