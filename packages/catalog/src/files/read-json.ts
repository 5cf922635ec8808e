/** JSON files that people write: strict, and every fault is for them. */
import { isUtf8 } from 'node:buffer'
import type { FaultList } from 'patient-risk-engine/definition'
import { scanStructure, parseJson, countKeys, keysIn } from 'patient-risk-engine/read'

/** The value of a file. A key written twice is a fault: the reader of the file sees both, the parser only one. */
export function jsonOfFile(bytes: Buffer, faults: FaultList): unknown {
  const text = bytes.toString()
  let value: unknown
  if (!isUtf8(bytes)) faults.add('', 'utf-8', 'is not valid UTF-8; save it again in that encoding')
  else if (text.startsWith('\uFEFF'))
    faults.add('', 'utf-8', 'starts with a byte order mark; save it as UTF-8 without one')
  else {
    try {
      value = parseJson(text)
    } catch (error) {
      faults.add('', 'json', `is not well-formed JSON: ${(error as Error).message}`)
    }
  }
  if (value === undefined) return undefined
  // The parser drops a repeated key, so that there are fewer keys than colons.
  if (countKeys(value) === scanStructure(bytes).colons) return value
  for (const { name, isRepeated, start } of keysIn(text)) {
    if (!isRepeated) continue
    const place = `the second time in line ${text.slice(0, start).split('\n').length}`
    faults.add('', 'key-twice', `the key ${JSON.stringify(name)} occurs twice in one object, ${place}`)
  }
  return value
}
