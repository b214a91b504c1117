// Drag ranges of parameters, stored in this browser; not a limit of the editor.
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

export type RangeHint = { readonly min?: number | undefined; readonly max?: number | undefined }
type Ranges = {
  readonly byKey: Readonly<Record<string, RangeHint>>
  put(key: string, hint: RangeHint): void
}

export const useRanges = create<Ranges>()(
  persist((set) => ({ byKey: {}, put: (key, hint) => set(({ byKey }) => ({ byKey: { ...byKey, [key]: hint } })) }), {
    name: 'gantry.studio.ranges',
  }),
)
