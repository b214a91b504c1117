// User preferences in this browser: theme, contrast, density, collapsed sidebar, finished checklist.
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export type Look = {
  readonly theme: Theme
  /** False follows the system. */
  readonly highContrast: boolean
  readonly compact: boolean
}
export type Preferences = Look & {
  /** Whether the sidebar is folded. */
  readonly narrow: boolean
  /** The same on pages that need the width, and in small windows. */
  readonly narrowOnWide: boolean
  readonly checklistHidden: boolean
}

export const usePreferences = create<Preferences>()(
  persist(
    (): Preferences => ({
      theme: 'system',
      highContrast: false,
      compact: false,
      narrow: false,
      narrowOnWide: true,
      checklistHidden: false,
    }),
    { name: 'gantry' },
  ),
)

const MORE_CONTRAST = '(prefers-contrast: more)'

/** Design tokens use these attributes; without a theme, `color-scheme` follows the system. */
export function applyLook({ theme, highContrast, compact }: Look, root: HTMLElement): () => void {
  const asked = matchMedia(MORE_CONTRAST)
  const set = (name: string, value: string | undefined): void => {
    if (value === undefined) delete root.dataset[name]
    else root.dataset[name] = value
  }
  const apply = (): void => {
    set('theme', theme === 'system' ? undefined : theme)
    set('contrast', highContrast || asked.matches ? 'more' : undefined)
    set('density', compact ? 'compact' : undefined)
  }
  apply()
  asked.addEventListener('change', apply)
  return () => asked.removeEventListener('change', apply)
}
