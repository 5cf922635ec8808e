/** A planted defect: an answer leaves before its row is durable. */
import { AuditQueue } from '../../../src/store/store-client.ts'

const append = Reflect.get(AuditQueue.prototype, 'append') as (entries: unknown) => Promise<void>

Reflect.set(AuditQueue.prototype, 'append', function (this: AuditQueue, entries: unknown) {
  setTimeout(() => {
    Reflect.apply(append, this, [entries]).catch(() => undefined)
  }, 150)
  return Promise.resolve()
})
