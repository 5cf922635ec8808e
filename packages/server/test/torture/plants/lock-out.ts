/** A planted defect: after many wrong keys, a key that was not used before is refused without a look at it. */
import { KeyCache } from '../../../src/store/keys/key-cache.ts'

const verify: KeyCache['verify'] = Reflect.get(KeyCache.prototype, 'verify')
const seen = new Set<string>()
let failures = 0
Reflect.set(KeyCache.prototype, 'verify', async function (this: KeyCache, text: string, now: number) {
  if (failures >= 60 && !seen.has(text)) return undefined
  const key = await verify.call(this, text, now)
  if (key === undefined) failures++
  else seen.add(text)
  return key
})
