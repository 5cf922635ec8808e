/** JSON for people: objects one key a line, arrays of plain values on one line or filled lines, as the project's files have it. */

const WIDTH = 110

export function printJson(value: unknown): string {
  return `${print(value, 0, 0)}\n`
}

/** `before` is the room that the key takes on the line. */
function print(value: unknown, indent: number, before: number): string {
  if (Array.isArray(value)) return printArray(value, indent, before)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  if (entries.length === 0) return '{}'
  const lines = entries.map(([key, each]) => {
    const name = `${JSON.stringify(key)}: `
    return `${pad(indent + 1)}${name}${print(each, indent + 1, name.length + 1)}`
  })
  return `{\n${lines.join(',\n')}\n${pad(indent)}}`
}

function printArray(array: readonly unknown[], indent: number, before: number): string {
  if (array.length === 0) return '[]'
  const isPlain = array.every((each) => typeof each !== 'object' || each === null)
  const parts = array.map((each) => print(each, indent + 1, 0))
  const line = `[${parts.join(', ')}]`
  // One column is kept for the comma that may follow.
  if (isPlain && indent * 2 + before + line.length < WIDTH) return line
  if (isPlain && array.every((each) => typeof each === 'number')) return fill(parts, indent)
  return `[\n${parts.map((part) => pad(indent + 1) + part).join(',\n')}\n${pad(indent)}]`
}

function fill(parts: readonly string[], indent: number): string {
  const lines: string[] = []
  let line = ''
  parts.forEach((part, index) => {
    const piece = index < parts.length - 1 ? `${part},` : part
    const next = line === '' ? piece : `${line} ${piece}`
    if (line !== '' && (indent + 1) * 2 + next.length > WIDTH) {
      lines.push(line)
      line = piece
    } else line = next
  })
  return `[\n${[...lines, line].map((each) => pad(indent + 1) + each).join('\n')}\n${pad(indent)}]`
}

function pad(indent: number): string {
  return '  '.repeat(indent)
}
