/** A planted defect: one answer in two hundred is a 500. */
import { ServerResponse } from 'node:http'

const writeHead = Reflect.get(ServerResponse.prototype, 'writeHead') as (
  ...words: unknown[]
) => ServerResponse
let count = 0

Reflect.set(ServerResponse.prototype, 'writeHead', function (this: ServerResponse, ...words: unknown[]) {
  const [status, ...rest] = words
  return Reflect.apply(writeHead, this, [++count % 200 === 0 ? 500 : status, ...rest])
})
