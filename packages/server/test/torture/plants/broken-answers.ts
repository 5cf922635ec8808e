/** A planted defect: one answer in two hundred is a 500. */
import { ServerResponse } from 'node:http'

const writeHead = Reflect.get(ServerResponse.prototype, 'writeHead') as (...args: unknown[]) => ServerResponse
let count = 0

Reflect.set(ServerResponse.prototype, 'writeHead', function (this: ServerResponse, ...args: unknown[]) {
  const [status, ...rest] = args
  return Reflect.apply(writeHead, this, [++count % 200 === 0 ? 500 : status, ...rest])
})
