/** A planted defect: only answers that were no refusal are recorded. */
import './forced-errors.ts'
import { RequestRecorder } from '../../../src/http/request/request-recorder.ts'

type Record = (context: unknown, status: number, ...rest: readonly unknown[]) => Promise<boolean>
const record = Reflect.get(RequestRecorder.prototype, 'record') as Record

Reflect.set(
  RequestRecorder.prototype,
  'record',
  function (this: RequestRecorder, ...args: Parameters<Record>) {
    return args[1] >= 400 ? Promise.resolve(true) : Reflect.apply(record, this, args)
  },
)
