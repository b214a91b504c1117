// What the page on screen can do besides the shell's own: in the palette, and on the sheet of keys. The page binds its keys.
import { create } from 'zustand'
import type { Action } from './actions.ts'

export const usePageActions = create<{ readonly title: string; readonly actions: readonly Action[] }>(() => ({
  title: '',
  actions: [],
}))
