// Actions of the current page for palette and key sheet. The page binds the keys.
import { create } from 'zustand'
import type { Action } from './actions.ts'

export const usePageActions = create<{ readonly title: string; readonly actions: readonly Action[] }>(() => ({
  title: '',
  actions: [],
}))
