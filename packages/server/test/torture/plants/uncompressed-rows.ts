/** A planted defect: what should be compressed is stored as it is. */
import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'

const { deflateRawSync } = zlib

Reflect.set(zlib, 'deflateRawSync', (text: zlib.InputType) => deflateRawSync(text, { level: 0 }))
syncBuiltinESMExports()
