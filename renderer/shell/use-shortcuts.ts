// Handles shell shortcuts while no dialog is open.
import { useEffect, useEffectEvent } from 'react'
import type { Action } from './actions.ts'
import { createKeySequence, strokeOf } from './key-sequence.ts'

/** Dialogs take the keys; sheets and closing dialogs do not. */
export const ABOVE = '[role=dialog]:not([data-beside]), [role=alertdialog], [role=menu], [role=listbox]'
  .split(', ')
  .map((each) => `${each}:not([data-closed])`)
  .join(', ')

export function useShortcuts(actions: readonly Action[]): void {
  const run = useEffectEvent((keys: string) => actions.find((action) => action.keys === keys)?.run())
  const bound = actions.flatMap((action) => action.keys ?? []).join('\n')
  useEffect(() => {
    const press = createKeySequence(new Map(bound.split('\n').map((keys) => [keys, keys])), () => performance.now())
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector(ABOVE)) return
      const keys = press(strokeOf(event))
      if (keys === undefined) return
      event.preventDefault()
      run(keys)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [bound])
}
