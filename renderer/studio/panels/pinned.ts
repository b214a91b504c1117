// Pinned properties by node class, stored in this browser.
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

type Pinned = {
  readonly byClass: Readonly<Record<string, readonly string[]>>
  toggle(settingsClass: string, path: string): void
}

export const usePinned = create<Pinned>()(
  persist(
    (set) => ({
      byClass: {},
      toggle: (settingsClass, path) =>
        set(({ byClass }) => {
          const now = byClass[settingsClass] ?? []
          const next = now.includes(path) ? now.filter((each) => each !== path) : [...now, path]
          return { byClass: { ...byClass, [settingsClass]: next } }
        }),
    }),
    { name: 'gantry.studio.pinned' },
  ),
)
