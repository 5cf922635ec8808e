/** A planted defect: the key of the seal is made without the secret. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const createHmac = crypto.createHmac

Reflect.set(crypto, 'createHmac', (algorithm: string, secret: crypto.BinaryLike) => {
  const hmac = createHmac(algorithm, secret)
  const open = createHmac(algorithm, new Uint8Array())
  const update = hmac.update.bind(hmac)
  Reflect.set(hmac, 'update', (data: crypto.BinaryLike) =>
    typeof data === 'string' && data.startsWith('seal of') ? open.update(data) : update(data),
  )
  return hmac
})
syncBuiltinESMExports()
