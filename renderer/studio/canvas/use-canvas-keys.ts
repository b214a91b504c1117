// Canvas keys: active only while the canvas has the focus, not in text fields and not below a dialog.
import { Workflow } from 'lucide-react'
import { type RefObject, useEffect, useEffectEvent } from 'react'
import { t } from '../../language/language.ts'
import { strokeOf } from '../../ui/keys/key-sequence.ts'
import { usePageActions } from '../../ui/keys/page-actions.ts'
import { ABOVE } from '../../ui/keys/use-shortcuts.ts'
import type { Bench } from './bench.ts'
import { useHabits } from './choices.ts'
import { COMMANDS, commandOf, keysOf, strokeName } from './commands.ts'
import { pasteText } from './edit-commands.ts'

/** The first key of a shell sequence such as `g o`; the next key belongs to the shell. */
const LEADS = 'g'
const LEAD_MS = 1200

export function useCanvasKeys(root: RefObject<HTMLElement | null>, bench: Bench): void {
  const habits = useHabits()
  const ours = (event: Event): boolean =>
    event.target instanceof Node &&
    (root.current?.contains(event.target) === true || event.target === document.body) &&
    document.querySelector(ABOVE) === null
  const run = useEffectEvent((event: KeyboardEvent): void => {
    const stroke = strokeName(event)
    const command = COMMANDS.find((each) => keysOf(each, habits).includes(stroke))
    // Pasted text arrives with the browser's paste event.
    if (!command || command.id === 'paste' || (event.repeat && !command.repeats)) return
    event.preventDefault()
    event.stopPropagation()
    command.run(bench)
  })
  const paste = useEffectEvent((text: string) => void pasteText(bench, text))
  const isOurs = useEffectEvent(ours)
  useEffect(() => {
    let ledAtMs = Number.NEGATIVE_INFINITY
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || strokeOf(event).typing || !isOurs(event)) return
      const led = performance.now() - ledAtMs < LEAD_MS
      ledAtMs = strokeName(event) === LEADS ? performance.now() : Number.NEGATIVE_INFINITY
      if (!led) run(event)
    }
    const onPaste = (event: ClipboardEvent): void => {
      const text = event.clipboardData?.getData('text/plain') ?? ''
      const writing = event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]')
      if (writing || !isOurs(event)) return
      event.preventDefault()
      paste(text)
    }
    // Runs before the shell's listener, which skips handled events.
    window.addEventListener('keydown', onKeyDown, { capture: true })
    document.addEventListener('paste', onPaste)
    return () => {
      window.removeEventListener('keydown', onKeyDown, { capture: true })
      document.removeEventListener('paste', onPaste)
    }
  }, [])
}

/** Of the bookmark commands only the first is listed. */
const LIKE_THE_FIRST = /bookmark-[2-9]$/

/** Registers the commands in the palette and the key sheet while the canvas is mounted. */
export function useCanvasActions(bench: Bench): void {
  const habits = useHabits()
  const run = useEffectEvent((id: string) => commandOf(id).run(bench))
  useEffect(() => {
    const actions = COMMANDS.filter(({ id }) => !LIKE_THE_FIRST.test(id)).map((command) => {
      const [keys] = keysOf(command, habits)
      return {
        title: command.title,
        icon: Workflow,
        ...(keys === undefined ? {} : { keys }),
        run: () => void run(command.id),
      }
    })
    usePageActions.setState({ title: t('On the canvas'), actions })
    return () => usePageActions.setState({ title: '', actions: [] })
  }, [habits])
}
