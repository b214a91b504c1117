// Keyset cursors: where a page ended, sealed into text that callers only hand back. Contract 1.6.
import { GatewayError } from '../contract/error.ts'
import type { Page } from '../contract/page.ts'

const CURSOR_MAX = 512

/** Which page is wanted. */
export type Paging = { readonly limit: number; readonly cursor?: string | undefined }

function refuse(): GatewayError {
  const message = 'is not a cursor of this list: take nextCursor of the page before, unchanged'
  return new GatewayError('VALIDATION_ERROR', `cursor ${message}`, { fields: [{ path: 'cursor', message }] })
}

// UTF-16 keeps the longest name (128 characters of any script) below the limit of a cursor.
function seal(kind: 'i' | 'n', value: string): string {
  return Buffer.from(kind + value, 'utf16le').toString('base64url')
}

function open(kind: 'i' | 'n', cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf16le')
  const value = text.slice(1)
  // Only the exact text that `seal` made: no second spelling of the same place.
  if (cursor.length > CURSOR_MAX || text[0] !== kind || seal(kind, value) !== cursor) throw refuse()
  return value
}

/** The id before which the next page starts, for lists by id, newest first. */
export function beforeId(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const value = open('i', cursor)
  const id = Number(value)
  if (!/^[1-9]\d{0,15}$/.test(value) || !Number.isSafeInteger(id)) throw refuse()
  return id
}

/** The name after which the next page starts, for lists by name, ascending. */
export function afterName(cursor: string | undefined): string | undefined {
  return cursor === undefined ? undefined : open('n', cursor)
}

/** Rows come as one more than `limit`, so that the last page is known without a count. */
export function pageById<T extends { readonly id: number }>(rows: readonly T[], limit: number): Page<T> {
  return pageOf(rows, limit, (row) => seal('i', String(row.id)))
}

export function pageByName<T>(rows: readonly T[], limit: number, nameOf: (row: T) => string): Page<T> {
  return pageOf(rows, limit, (row) => seal('n', nameOf(row)))
}

function pageOf<T>(rows: readonly T[], limit: number, cursorOf: (row: T) => string): Page<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return rows.length > limit && last !== undefined ? { items, nextCursor: cursorOf(last) } : { items }
}
