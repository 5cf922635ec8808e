/** A planted defect: an answer is given although its row could not be written. */
import { AuditQueue } from '../../../src/store/store-client.ts'

const append = Reflect.get(AuditQueue.prototype, 'append') as (entries: unknown) => Promise<void>

Reflect.set(AuditQueue.prototype, 'append', function (this: AuditQueue, entries: unknown) {
  return Reflect.apply(append, this, [entries]).catch(() => undefined)
})
