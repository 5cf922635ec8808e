/** A planted defect: only answers that were no refusal are recorded. */
import './forced-errors.ts'
import { AuditRecorder } from '../../../src/http/audit/audit-recorder.ts'

type Record = (context: unknown, status: number, ...rest: readonly unknown[]) => Promise<boolean>
const record = Reflect.get(AuditRecorder.prototype, 'record') as Record

Reflect.set(AuditRecorder.prototype, 'record', function (this: AuditRecorder, ...args: Parameters<Record>) {
  return args[1] >= 400 ? Promise.resolve(true) : Reflect.apply(record, this, args)
})
