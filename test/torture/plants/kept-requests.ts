/** A planted defect: something of every request is kept, up to 1.2 GB. */
import { Server } from 'node:http'

const emit = Reflect.get(Server.prototype, 'emit') as (...words: unknown[]) => boolean
const kept: Buffer[] = []

Reflect.set(Server.prototype, 'emit', function (this: Server, ...words: unknown[]) {
  if (words[0] === 'request' && kept.length < 3_000) kept.push(Buffer.alloc(400_000, 1))
  return Reflect.apply(emit, this, words)
})
