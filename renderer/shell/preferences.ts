// What this person likes, kept in this browser only: theme, a narrow sidebar, a finished checklist.
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export type Preferences = { readonly theme: Theme; readonly narrow: boolean; readonly checklistHidden: boolean }

export const usePreferences = create<Preferences>()(
  persist((): Preferences => ({ theme: 'system', narrow: false, checklistHidden: false }), { name: 'gantry' }),
)

/** The tokens follow `color-scheme`; an absent attribute follows the system. */
export function applyTheme(theme: Theme, root: HTMLElement): void {
  if (theme === 'system') delete root.dataset.theme
  else root.dataset.theme = theme
}
