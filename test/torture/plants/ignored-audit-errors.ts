/** A planted defect: an answer is given although its row could not be written. */
import { GroupCommit } from '../../../src/store/group-commit.ts'

const add = Reflect.get(GroupCommit.prototype, 'add') as (item: unknown) => Promise<void>

Reflect.set(GroupCommit.prototype, 'add', function (this: GroupCommit<unknown>, item: unknown) {
  return Reflect.apply(add, this, [item]).catch(() => undefined)
})
