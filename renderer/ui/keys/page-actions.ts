// Actions that a key or the palette runs: the type, and those of the current page. The page binds the keys.
import type { LucideIcon } from 'lucide-react'
import { create } from 'zustand'

export type Action = {
  readonly title: string
  readonly icon: LucideIcon
  /** In the format of key-sequence.ts. */
  readonly keys?: string
  readonly run: () => void
}

export const usePageActions = create<{ readonly title: string; readonly actions: readonly Action[] }>(() => ({
  title: '',
  actions: [],
}))
