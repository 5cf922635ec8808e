/** Hands a text to the reader as a file. */

export function saveFile(name: string, text: string, type: 'text/csv' | 'text/html'): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
