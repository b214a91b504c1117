// View preferences of the tools page: saved filters and hidden columns, in this browser.
import { z } from 'zod'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import { createSavedViews } from '../../ui/saved-views.ts'
import { FILTER_KEYS } from './tool-filter.ts'

export const TOOL_VIEWS = createSavedViews('gantry.tools', FILTER_KEYS)

const Stored = z.object({ hidden: z.array(z.string()) })
type Stored = { readonly hidden: readonly string[] }

export const useColumns = create<Stored>()(
  persist((): Stored => ({ hidden: [] }), {
    name: 'gantry.tool-columns',
    version: 1,
    merge: (stored, current) => ({ ...current, ...Stored.catch({ hidden: [] }).parse(stored ?? current) }),
  }),
)

export function showColumn(key: string, shown: boolean): void {
  useColumns.setState(({ hidden }) => ({
    hidden: shown ? hidden.filter((each) => each !== key) : [...new Set([...hidden, key])],
  }))
}
