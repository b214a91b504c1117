// Which record the dialog of a list edits: a new one, or one by its key, so that the form sees the changes of others.
import { useState } from 'react'

export function useEditing<R>(rows: readonly R[], keyOf: (row: R) => string | number) {
  const [key, setKey] = useState<string | number | null>(null)
  const [adding, setAdding] = useState(false)
  const record = rows.find((row) => keyOf(row) === key)
  return {
    add: () => setAdding(true),
    change: (row: R) => setKey(keyOf(row)),
    dialog: {
      open: adding || record !== undefined,
      record,
      onClose: () => {
        setKey(null)
        setAdding(false)
      },
    },
  }
}
