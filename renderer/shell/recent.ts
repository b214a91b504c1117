// Where this person went last from the palette, kept in this browser: names and addresses, nothing of what is there.
import { z } from 'zod'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

/** What the palette finds, in the order it shows them. */
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
  /** Within the application; what is stored elsewhere leads nowhere else. */
  to: z.string().regex(/^\/(?!\/)/),
})
export type Recent = Readonly<z.infer<typeof Recent>>
type Kept = { readonly recent: readonly Recent[] }

const MOST = 40
const SHOWN = 6

export const useRecent = create<Kept>()(
  persist((): Kept => ({ recent: [] }), {
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
