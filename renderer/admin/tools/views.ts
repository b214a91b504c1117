// View preferences of the tools page: hidden columns and saved filters, in this browser.
import { z } from 'zod'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import { FILTER_KEYS, type ToolFilter } from './tool-filter.ts'

const View = z.object({
  user: z.string(),
  name: z.string(),
  /** The URL parameters. */
  params: z.record(z.string(), z.string()),
})
export type View = Readonly<z.infer<typeof View>>
const Kept = z.object({ views: z.array(View), hidden: z.array(z.string()) })
type Kept = { readonly views: readonly View[]; readonly hidden: readonly string[] }

const MOST_VIEWS = 50

export const useViews = create<Kept>()(
  persist((): Kept => ({ views: [], hidden: [] }), {
    name: 'gantry.tools',
    version: 1,
    merge: (stored, current) => ({ ...current, ...Kept.catch({ views: [], hidden: [] }).parse(stored ?? current) }),
  }),
)

/** Replaces an entry of the same name. */
export function saveView(user: string, name: string, filter: ToolFilter): void {
  const given = FILTER_KEYS.flatMap((key) => (filter[key] === '' ? [] : [[key, filter[key]] as const]))
  const view = { user, name, params: Object.fromEntries(given) }
  useViews.setState(({ views }) => ({
    views: [view, ...views.filter((each) => each.user !== user || each.name !== name)].slice(0, MOST_VIEWS),
  }))
}

/** Returns an undo function. */
export function removeView(view: View): () => void {
  useViews.setState(({ views }) => ({ views: views.filter((each) => each !== view) }))
  return () => useViews.setState(({ views }) => ({ views: [view, ...views] }))
}

export function showColumn(key: string, shown: boolean): void {
  useViews.setState(({ hidden }) => ({
    hidden: shown ? hidden.filter((each) => each !== key) : [...new Set([...hidden, key])],
  }))
}

/** A view is a complete filter: missing parameters are empty. */
export const paramsOf = ({ params }: View): Record<string, string> =>
  Object.fromEntries(FILTER_KEYS.map((key) => [key, params[key] ?? '']))
