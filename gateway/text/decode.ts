// Bytes from outside become text by the charset that their byte order mark or their content type names.

const CHARSET = /;\s*charset\s*=\s*["']?([\w.:+-]{1,40})/i

function byMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined
}

export const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

/** Without its byte order mark, for what is read by a program. */
export const decodeText = (bytes: Buffer, contentType: string | undefined): string =>
  withoutMark(decodeWithMark(bytes, contentType))

/** With its byte order mark, which is part of a text. What names no charset that is known is read as UTF-8, as most of it is. */
export function decodeWithMark(bytes: Buffer, contentType: string | undefined): string {
  const named = byMark(bytes) ?? (contentType === undefined ? undefined : CHARSET.exec(contentType)?.[1]?.toLowerCase())
  if (named === undefined || named === 'utf-8' || named === 'utf8') return bytes.toString('utf8')
  try {
    return new TextDecoder(named, { ignoreBOM: true }).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}
