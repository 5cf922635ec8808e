/** Parses a clinical file. A key written twice is a fault: the reader of the file sees both, the parser only one. */
import type { FaultList } from '../definition/fault.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function parseJson(bytes: Uint8Array, faults: FaultList): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    faults.add('', 'utf-8', 'is not valid UTF-8; save it again in that encoding')
    return undefined
  }
  if (text.startsWith('\uFEFF')) {
    faults.add('', 'utf-8', 'starts with a byte order mark; save it as UTF-8 without one')
    return undefined
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    faults.add('', 'json', `is not well-formed JSON: ${(error as Error).message}`)
    return undefined
  }
  for (const { name, line } of repeatedKeys(text)) {
    faults.add(
      '',
      'key-twice',
      `the key ${JSON.stringify(name)} occurs twice in one object, the second time in line ${line}`,
    )
  }
  return value
}

const TOKEN = /"(?:[^"\\]|\\.)*"\s*(:)?|[{}]|\n/g

function repeatedKeys(text: string): { name: string; line: number }[] {
  const repeated: { name: string; line: number }[] = []
  const open: Set<string>[] = []
  let line = 1
  for (const [token, colon] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (colon === ':') {
      const name = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1)) as string
      const names = open[open.length - 1]
      if (names?.has(name) === true) repeated.push({ name, line })
      names?.add(name)
    }
    line += token.split('\n').length - 1
  }
  return repeated
}
