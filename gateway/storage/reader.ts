// A read-only view of a database file for worker threads, which cannot share the connections of the main thread.
import { openReadOnly } from './connection.ts'
import type { Query } from './schema.ts'
import { kyselyOver } from './sqlite-dialect.ts'
import { explain } from './storage-error.ts'

export type Reader = { readonly query: Query; close(): void }

export function openReader(path: string): Reader {
  try {
    const raw = openReadOnly(path)
    const query = kyselyOver({ raw, writes: false, enter: async () => () => undefined })
    return { query, close: () => raw.close() }
  } catch (error) {
    throw explain(error, path)
  }
}
