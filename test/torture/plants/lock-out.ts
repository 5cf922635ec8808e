/** A planted defect: after many wrong keys, a key that was not used before is refused without a look at it. */
import { KeyRing } from '../../../src/store/keys/key-cache.ts'

const verify: KeyRing['verify'] = Reflect.get(KeyRing.prototype, 'verify')
const seen = new Set<string>()
let failures = 0
Reflect.set(KeyRing.prototype, 'verify', async function (this: KeyRing, text: string, now: number) {
  if (failures >= 60 && !seen.has(text)) return undefined
  const key = await verify.call(this, text, now)
  if (key === undefined) failures++
  else seen.add(text)
  return key
})
