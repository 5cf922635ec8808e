/** Hands a text or bytes to the reader as a file. */

export function saveFile(
  name: string,
  content: string | readonly Uint8Array<ArrayBuffer>[],
  type: 'text/csv' | 'text/html' | 'application/octet-stream' = 'application/octet-stream',
): void {
  const blob =
    typeof content === 'string'
      ? new Blob([content], { type: `${type};charset=utf-8` })
      : new Blob([...content], { type })
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
