// What every engine checks alike: nothing after the end, and no waiting for one's own turn inside a write.
import { AsyncLocalStorage } from 'node:async_hooks'
import { StorageError } from './storage-error.ts'

export type Scope = {
  /** Throws where this may not be done now. */
  check(what: string): void
  /** Whether this is the first time. */
  close(): boolean
  /** `work` with everything it starts counts as inside a write until it ends. */
  inside<T>(work: () => Promise<T>): Promise<T>
}

export function createScope(path: string): Scope {
  const writing = new AsyncLocalStorage<{ open: boolean }>()
  let closed = false
  const check = (what: string): void => {
    if (closed) throw new StorageError('closed', `The database ${path} is closed`)
    if (writing.getStore()?.open) throw new Error(`${what} inside a write: use its tx, or do it after the write`)
  }
  return {
    check,
    close() {
      if (closed) return false
      check('close')
      closed = true
      return true
    },
    async inside(work) {
      const scope = { open: true }
      try {
        return await writing.run(scope, work)
      } finally {
        scope.open = false
      }
    },
  }
}
