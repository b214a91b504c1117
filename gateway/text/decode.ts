// Decodes foreign bytes by byte order mark or content type.

const CHARSET = /;\s*charset\s*=\s*["']?([\w.:+-]{1,40})/i

function byMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined
}

export const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

/** Without the byte order mark, for parsing. */
export const decodeText = (bytes: Buffer, contentType: string | undefined): string =>
  withoutMark(decodeWithMark(bytes, contentType))

/** Keeps the byte order mark. An unknown charset is read as UTF-8. */
export function decodeWithMark(bytes: Buffer, contentType: string | undefined): string {
  const named = byMark(bytes) ?? (contentType === undefined ? undefined : CHARSET.exec(contentType)?.[1]?.toLowerCase())
  if (named === undefined || named === 'utf-8' || named === 'utf8') return bytes.toString('utf8')
  try {
    return new TextDecoder(named, { ignoreBOM: true }).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}
