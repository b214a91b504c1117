// Hands a text, or anything else that is a file, to the browser as a download.
const KEEP_MS = 30_000

export function saveFile(name: string, type: string, content: string | Blob): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads the text after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), KEEP_MS)
}
