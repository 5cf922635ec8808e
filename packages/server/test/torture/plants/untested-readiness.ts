/** A planted defect: whether rows can be appended is not tried. */
import { SqlStore } from '../../../src/store/sql-store.ts'

Reflect.set(SqlStore.prototype, 'tryAppend', () => Promise.resolve())
