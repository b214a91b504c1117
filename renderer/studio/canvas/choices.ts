// Preferences of this browser: recently added classes, favourites, key bindings, snippets.
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import { useShallow } from 'zustand/react/shallow'

export const PRESETS = ['ue', 'blender'] as const
export type Preset = (typeof PRESETS)[number]

const MOST_RECENT = 12

type Choices = {
  readonly recent: readonly string[]
  readonly favourites: readonly string[]
  readonly preset: Preset
  readonly snap: boolean
  /** The map and the pin legend beside the canvas. */
  readonly minimap: boolean
  /** Compact nodes. */
  readonly dense: boolean
  /** Custom key bindings by command id. */
  readonly own: Readonly<Record<string, readonly string[]>>
  /** Snippets, in clipboard format. */
  readonly snippets: readonly Snippet[]
}
type Snippet = { readonly id: string; readonly name: string; readonly text: string }
export const useChoices = create<Choices>()(
  persist(
    (): Choices => ({
      recent: [],
      favourites: [],
      preset: 'ue',
      snap: true,
      minimap: false,
      dense: false,
      own: {},
      snippets: [],
    }),
    { name: 'gantry-studio' },
  ),
)

export type Habits = Pick<Choices, 'preset' | 'own'>
export const useHabits = (): Habits => useChoices(useShallow(({ preset, own }) => ({ preset, own })))

export function noteAdded(key: string): void {
  useChoices.setState(({ recent }) => ({
    recent: [key, ...recent.filter((each) => each !== key)].slice(0, MOST_RECENT),
  }))
}

export function toggleFavourite(key: string): void {
  useChoices.setState(({ favourites }) => ({
    favourites: favourites.includes(key) ? favourites.filter((each) => each !== key) : [...favourites, key],
  }))
}

export function keepSnippet(name: string, text: string): void {
  useChoices.setState(({ snippets }) => ({ snippets: [...snippets, { id: crypto.randomUUID(), name, text }] }))
}

export function dropSnippet(id: string): void {
  useChoices.setState(({ snippets }) => ({ snippets: snippets.filter((each) => each.id !== id) }))
}
