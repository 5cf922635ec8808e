/** A planted defect: every process counts failed keys for itself, whatever store it shares. */
import { FailedAttempts } from '../../../src/http/request/authenticate.ts'
import { MemoryQuota } from '../../../src/store/quota.ts'

const quota = new MemoryQuota()
Reflect.set(FailedAttempts.prototype, 'noteFailure', function (this: FailedAttempts, address: string) {
  const { granted, resetsInMs } = quota.take(address, this.perMinute, 1)
  return Promise.resolve(granted > 0 ? 0 : resetsInMs)
})
