/** A planted defect: a record with problems counts as much as a clean one. */
import { Quota } from '../../../src/http/request/quota.ts'

const takeRecords: Quota['takeRecords'] = Reflect.get(Quota.prototype, 'takeRecords')
Reflect.set(
  Quota.prototype,
  'takeRecords',
  function (this: Quota, ...args: Parameters<Quota['takeRecords']>) {
    const [context, reply, tally] = args
    return takeRecords.call(this, context, reply, { ...tally, problems: new Map() })
  },
)
