// The steps of a graph in this tab: they survive a reload, and end with the tab.
import type { GestureState } from './gestures.ts'

export type Piles = Pick<GestureState, 'done' | 'undone'>
export type Memory = { read(): Piles | null; write(piles: Piles): void }

/** Layouts of large graphs are long; older steps are forgotten first. */
const MOST_STEPS = 100
const MOST_CHARACTERS = 400_000

export function rememberedSteps(who: string, editor: string, graph: string): Memory {
  const key = ['gantry-steps', who, editor, graph].join('\n')
  return {
    read() {
      const text = sessionStorage.getItem(key)
      return text === null ? null : (JSON.parse(text) as Piles) // written below, by this origin only
    },
    write({ done, undone }) {
      for (let most = MOST_STEPS; most > 0; most = Math.floor(most / 2)) {
        const text = JSON.stringify({ done: done.slice(-most), undone: undone.slice(-most) })
        if (text.length > MOST_CHARACTERS) continue
        try {
          return sessionStorage.setItem(key, text)
        } catch {
          // The storage of the tab is full: fewer steps may fit.
        }
      }
      sessionStorage.removeItem(key)
    },
  }
}
