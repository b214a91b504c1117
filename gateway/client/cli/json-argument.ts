// JSON objects as arguments: as text, or from a file.
import { readFileSync } from 'node:fs'
import { UsageError } from './exit.ts'

export function jsonIn(text: string, what: string): Record<string, unknown> {
  const source = text.startsWith('@') ? readFileSync(text === '@-' ? 0 : text.slice(1), 'utf8') : text
  try {
    const value: unknown = JSON.parse(source)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown> // by the line before
  } catch {
    // Reported below.
  }
  throw new UsageError(`${what} must be a JSON object, or @file, or @- for standard input`)
}
