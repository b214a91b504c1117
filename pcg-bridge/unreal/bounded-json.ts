// JSON from a peer that is not trusted: bounded in bytes and depth, and found in a stream without length prefix.
import { PcgError } from '../editor/editor.ts'

/** Of one answer. */
export const MOST_BYTES = 32 * 1024 * 1024
const MOST_DEPTH = 64

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = Buffer.from('"\\{}[]')

/** Walks bytes; every special one is ASCII, so a character cut between two chunks does no harm. */
function createScanner() {
  let depth = 0
  let quoted = false
  let escaped = false
  return {
    /** Index after the byte that closes the outermost value, or -1. */
    feed(bytes: Uint8Array): number {
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at]
        if (escaped) escaped = false
        else if (quoted) {
          if (byte === BACKSLASH) escaped = true
          else if (byte === QUOTE) quoted = false
        } else if (byte === QUOTE) quoted = true
        else if (byte === OPEN || byte === OPEN_LIST) {
          depth += 1
          if (depth > MOST_DEPTH) throw new PcgError('EDITOR_ERROR', 'The editor answered with JSON nested too deeply')
        } else if (byte === CLOSE || byte === CLOSE_LIST) {
          depth -= 1
          if (depth === 0) return at + 1
        }
      }
      return -1
    },
  }
}

/** Throws an EDITOR_ERROR on anything that is not one JSON value of sane size. */
export function parseBounded(text: string): unknown {
  if (text.length > MOST_BYTES) throw new PcgError('EDITOR_ERROR', 'The editor answered with too much')
  createScanner().feed(Buffer.from(text))
  try {
    return JSON.parse(text)
  } catch {
    throw new PcgError('EDITOR_ERROR', 'The editor answered with something that is not JSON')
  }
}

export type ObjectReader = { push(chunk: Uint8Array): unknown[] }

/** Splits a byte stream of JSON objects that follow each other without separators. */
export function createObjectReader(): ObjectReader {
  let scanner = createScanner()
  let parts: Uint8Array[] = []
  let size = 0
  return {
    push(chunk) {
      const found: unknown[] = []
      let rest = chunk
      while (rest.length > 0) {
        const end = scanner.feed(rest)
        const part = end < 0 ? rest : rest.subarray(0, end)
        size += part.length
        if (size > MOST_BYTES) throw new PcgError('EDITOR_ERROR', 'The editor answered with too much')
        parts.push(part)
        rest = end < 0 ? rest.subarray(rest.length) : rest.subarray(end)
        if (end < 0) break
        found.push(parseBounded(Buffer.concat(parts).toString('utf8')))
        parts = []
        size = 0
        scanner = createScanner()
      }
      return found
    },
  }
}

export type Json = Readonly<Record<string, unknown>>
export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
