/** A planted defect: something of every request is kept. */
import { Server } from 'node:http'

const emit = Reflect.get(Server.prototype, 'emit') as (...args: unknown[]) => boolean
const kept: Buffer[] = []

Reflect.set(Server.prototype, 'emit', function (this: Server, ...args: unknown[]) {
  if (args[0] === 'request') kept.push(Buffer.alloc(400_000, 1))
  return Reflect.apply(emit, this, args)
})
