// The theme outside of the page: before its first paint, and behind it while the window is resized.
import { type BrowserWindow, nativeTheme } from 'electron'
import type { AppSettings } from '#channels'

/** The canvas of renderer/styles/tokens.css. */
const CANVAS = { light: '#f8f9fa', dark: '#0d0f13' } as const

export const canvas = (): string => CANVAS[nativeTheme.shouldUseDarkColors ? 'dark' : 'light']

/** The page's `prefers-color-scheme` follows as well, so that it is right before the first script. */
export function setTheme(theme: AppSettings['theme']): void {
  nativeTheme.themeSource = theme
}

export function followTheme(window: BrowserWindow): void {
  const follow = (): void => window.setBackgroundColor(canvas())
  nativeTheme.on('updated', follow)
  window.once('closed', () => nativeTheme.off('updated', follow))
}
