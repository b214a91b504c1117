// Keyboard focus of nodes: it follows the selection of the keys, and stays on the canvas when its node goes.
import { type FocusEvent, type RefObject, useEffect, useRef } from 'react'
import { useStudio } from '../studio.ts'
import { hold, useHand } from './hand.ts'

const NODE = '.react-flow__node[data-id]'
const elementOf = (root: HTMLElement | null, name: string): HTMLElement | undefined =>
  [...(root?.querySelectorAll<HTMLElement>(NODE) ?? [])].find(({ dataset }) => dataset['id'] === name)

/** Handlers of the canvas. */
export function useNodeFocus(root: RefObject<HTMLDivElement | null>) {
  const inside = useRef(false)
  const wanted = useHand((state) => state.focusing)
  // A distant node comes into the page when the view has moved to it.
  useEffect(() => {
    if (wanted === null) return
    const focus = (): boolean => {
      const element = elementOf(root.current, wanted)
      element?.focus({ preventScroll: true })
      if (element) hold({ focusing: null })
      return element !== undefined
    }
    if (focus() || !root.current) return
    const watcher = new MutationObserver(() => focus() && watcher.disconnect())
    watcher.observe(root.current, { childList: true, subtree: true })
    return () => watcher.disconnect()
  }, [root, wanted])
  // After every drawing, because any of them can have removed it.
  useEffect(() => {
    if (inside.current && document.activeElement === document.body) root.current?.focus({ preventScroll: true })
  })
  return {
    onFocus({ target }: FocusEvent): void {
      inside.current = true
      const name = target instanceof HTMLElement && target.matches(NODE) ? target.dataset['id'] : undefined
      const { nodes: chosen, select } = useStudio.getState()
      // By Tab: keys apply to the selection. A pointer selects by itself.
      if (name !== undefined && target.matches(':focus-visible') && !chosen.has(name)) select([name])
    },
    onBlur: ({ relatedTarget }: FocusEvent): void => {
      inside.current = relatedTarget instanceof Node && root.current?.contains(relatedTarget) === true
    },
  }
}
