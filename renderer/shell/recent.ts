// Recent palette entries in this browser: names and URLs only.
import { z } from 'zod'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

/** Kinds of palette entries, in display order. */
export const RECORD_KINDS = [
  'backend',
  'tool',
  'bundle',
  'composite',
  'key',
  'consumer',
  'policy',
  'team',
  'user',
  'schedule',
  'call',
] as const

const Recent = z.object({
  user: z.string(),
  kind: z.enum(RECORD_KINDS),
  name: z.string().max(200),
  /** Restricted to URLs of the app, because storage is not trusted. */
  to: z.string().regex(/^\/(?!\/)/),
})
export type Recent = Readonly<z.infer<typeof Recent>>
type SavedRecent = { readonly recent: readonly Recent[] }

const MOST = 40
const SHOWN = 6

export const useRecent = create<SavedRecent>()(
  persist((): SavedRecent => ({ recent: [] }), {
    name: 'gantry.recent',
    version: 1,
    merge: (stored, current) => ({
      ...current,
      ...z
        .object({ recent: z.array(Recent) })
        .catch({ recent: [] })
        .parse(stored ?? { recent: [] }),
    }),
  }),
)

export function noteRecent(went: Recent): void {
  useRecent.setState(({ recent }) => ({
    recent: [went, ...recent.filter(({ user, to }) => user !== went.user || to !== went.to)].slice(0, MOST),
  }))
}

export const recentOf = (recent: readonly Recent[], user: string): readonly Recent[] =>
  recent.filter((each) => each.user === user).slice(0, SHOWN)
