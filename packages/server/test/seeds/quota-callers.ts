/** Who asks for quota. It tells a grant for a caller that still waits from a grant for one that was refused before. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Store } from '../../src/store/store.ts'
import { isRefusal } from './attempts.ts'
import type { World } from './world.ts'

export interface QuotaCaller {
  isRefused: boolean
}

/** The caller for whom the present code works; it follows the call to its message or statement. */
export const quotaCaller = new AsyncLocalStorage<QuotaCaller>()

export function watchedQuota(store: Store, world: World): Pick<Store, 'takeQuota'> {
  return {
    takeQuota: (...args) => {
      const caller: QuotaCaller = { isRefused: false }
      const { wallOffsetMs } = world
      return quotaCaller.run(caller, async () => {
        try {
          return await store.takeQuota(...args)
        } catch (error) {
          // Processes tell each other a time on the wall, so a clock that was set meanwhile may revive a call.
          caller.isRefused = isRefusal(error) && wallOffsetMs === world.wallOffsetMs
          throw error
        }
      })
    },
  }
}
