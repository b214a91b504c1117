// Hands a text to the browser as a download.
const KEEP_MS = 30_000

export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads the text after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), KEEP_MS)
}
