/** A planted defect: now and then an answer is that of an earlier request whose answer was as long. */
import { ServerResponse } from 'node:http'

const end = Reflect.get(ServerResponse.prototype, 'end') as (...args: unknown[]) => ServerResponse
const earlier = new Map<number, unknown>()
let count = 0

Reflect.set(ServerResponse.prototype, 'end', function (this: ServerResponse, ...args: unknown[]) {
  const [payload, ...rest] = args
  const { length } = payload as { length: number }
  const other = earlier.get(length)
  earlier.set(length, payload)
  return Reflect.apply(end, this, [++count % 5 === 0 ? (other ?? payload) : payload, ...rest])
})
