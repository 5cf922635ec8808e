/** A planted defect: somebody left a line in that prints what callers send. */
import './forced-errors.ts'
import { Server } from 'node:http'

const emit = Reflect.get(Server.prototype, 'emit') as (...args: unknown[]) => boolean

Reflect.set(Server.prototype, 'emit', function (this: Server, ...args: unknown[]) {
  const [event, message] = args
  if (event === 'request')
    console.error((message as { headers: Record<string, string> }).headers['user-agent'])
  return Reflect.apply(emit, this, args)
})
