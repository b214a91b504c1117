// Handles shortcuts of the frame and of a page while no dialog is open.
import { useEffect, useEffectEvent } from 'react'
import { createKeySequence, strokeOf } from './key-sequence.ts'
import { LIST_KEYS, pressListKey } from './list-keys.ts'
import { useOverlay } from './overlay.ts'
import { type Action, usePageActions } from './page-actions.ts'

/** Dialogs take the keys; sheets and closing dialogs do not. */
export const ABOVE = '[role=dialog]:not([data-beside]), [role=alertdialog], [role=menu], [role=listbox]'
  .split(', ')
  .map((each) => `${each}:not([data-closed])`)
  .join(', ')

/** A key right after the one that closed the palette finds it in the document until the next drawing. */
const isClosing = (element: Element): boolean =>
  element.closest('[data-closed]') !== null ||
  (element.closest('[data-palette]') !== null && useOverlay.getState().open !== 'palette')

const isCovered = (): boolean => [...document.querySelectorAll(ABOVE)].some((element) => !isClosing(element))

export function useShortcuts(actions: readonly Action[]): void {
  /** False where the page has nothing for a key of lists. */
  const run = useEffectEvent((keys: string): boolean => {
    const action = actions.find((each) => each.keys === keys)
    // The shell may hear a key before the page that has an action for it.
    const pageHas = usePageActions.getState().actions.some((each) => each.keys === keys)
    if (action === undefined) return !pageHas && pressListKey(keys)
    action.run()
    return true
  })
  const bound = [...actions.flatMap((action) => action.keys ?? []), ...LIST_KEYS.map(({ key }) => key)].join('\n')
  useEffect(() => {
    const press = createKeySequence(new Map(bound.split('\n').map((keys) => [keys, keys])), () => performance.now())
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isCovered()) return
      const keys = press(strokeOf(event))
      if (keys !== undefined && run(keys)) event.preventDefault()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [bound])
}
