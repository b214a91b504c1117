// Saved filters of a page, by user, in this browser.
import { z } from 'zod'
import { create, type StoreApi, type UseBoundStore } from 'zustand'
import { persist } from 'zustand/middleware'
import type { UrlParams } from '../url-params.ts'

const View = z.object({
  user: z.string(),
  name: z.string(),
  /** The URL parameters. */
  params: z.record(z.string(), z.string()),
})
export type View = Readonly<z.infer<typeof View>>
const Stored = z.object({ views: z.array(View) })
type Stored = { readonly views: readonly View[] }

const MOST_VIEWS = 50

export type SavedViews = {
  readonly use: UseBoundStore<StoreApi<Stored>>
  /** The part of the URL that a view saves. */
  readonly keys: readonly string[]
}

export const createSavedViews = (name: string, keys: readonly string[]): SavedViews => ({
  keys,
  use: create<Stored>()(
    persist((): Stored => ({ views: [] }), {
      name,
      version: 1,
      merge: (stored, current) => ({ ...current, ...Stored.catch({ views: [] }).parse(stored ?? current) }),
    }),
  ),
})

/** Replaces a view of the same name. */
export function saveView({ use, keys }: SavedViews, user: string, name: string, params: UrlParams): void {
  const given = keys.flatMap((key) => (params[key] ? [[key, params[key]] as const] : []))
  const view = { user, name, params: Object.fromEntries(given) }
  use.setState(({ views }) => ({
    views: [view, ...views.filter((each) => each.user !== user || each.name !== name)].slice(0, MOST_VIEWS),
  }))
}

/** Returns an undo function. */
export function removeView({ use }: SavedViews, view: View): () => void {
  use.setState(({ views }) => ({ views: views.filter((each) => each !== view) }))
  return () => use.setState(({ views }) => ({ views: [view, ...views] }))
}

/** A view is a complete filter: missing parameters are empty. */
export const paramsOf = ({ keys }: SavedViews, { params }: View): Record<string, string> =>
  Object.fromEntries(keys.map((key) => [key, params[key] ?? '']))
