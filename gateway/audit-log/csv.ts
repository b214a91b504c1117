// One audit entry as a CSV line: RFC 4180, with formulas neutralized.
import type { Schema } from '../storage/schema.ts'

const COLUMNS = ['id', 'prev_hash', 'actor', 'action', 'target', 'detail', 'created_at', 'hash'] as const

export const csvHeader = `${COLUMNS.join(',')}\r\n`

export function csvRow(row: Schema['audit_log']): string {
  return `${COLUMNS.map((column) => field(String(row[column] ?? ''))).join(',')}\r\n`
}

function field(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
