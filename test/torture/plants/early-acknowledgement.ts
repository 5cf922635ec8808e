/** A planted defect: an answer leaves before its row is durable. */
import { GroupCommit } from '../../../src/store/group-commit.ts'

const add = Reflect.get(GroupCommit.prototype, 'add') as (item: unknown) => Promise<void>

Reflect.set(GroupCommit.prototype, 'add', function (this: GroupCommit<unknown>, item: unknown) {
  setTimeout(() => {
    Reflect.apply(add, this, [item]).catch(() => undefined)
  }, 150)
  return Promise.resolve()
})
