/** JSON for people: objects one key a line, arrays of plain values on one line or filled lines, as the project's files have it. */

const WIDTH = 110
/** An array of plain values as JSON.stringify writes it, one value a line: its indent, its key, its values, its comma. */
const PLAIN = /^( *)(.*)\[\n((?: *(?:"(?:[^"\\]|\\.)*"|[\w.+-]+),?\n)+) *\](,?)$/gm
const NUMBER = /^(-?\d|null$)/

export function printJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replace(
    PLAIN,
    (all: string, indent: string, key: string, values: string, comma: string) => {
      const parts = values.trim().split(/,\n */)
      const line = `${indent}${key}[${parts.join(', ')}]`
      // Room for the comma that may follow a key and its values.
      if (line.length + Math.min(1, key.length) < WIDTH) return line + comma
      if (!parts.every((part) => NUMBER.test(part))) return all
      const filled = new RegExp(`(.{1,${WIDTH - indent.length - 2}})(?: |$)`, 'g')
      const lines = parts.join(', ').replace(filled, `${indent}  $1\n`)
      return `${indent}${key}[\n${lines}${indent}]${comma}`
    },
  )
  return `${text}\n`
}
