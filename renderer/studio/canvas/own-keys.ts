// Custom key bindings: they replace those of the preset and are taken from the command that had them. Pure.

import { t } from '../../language/language.ts'
import type { Habits } from './choices.ts'
import { COMMANDS, type Command, keysOf } from './commands.ts'

/** Reserved keys: those of the shell, and the browser's paste event. */
const TAKEN: Readonly<Record<string, string>> = {
  '?': t('the sheet of keys'),
  'mod+k': t('the search of the whole application'),
  '[': t('the navigation'),
  g: t('going to a page'),
  r: t('reading a page again'),
  'mod+v': t('pasting'),
}

/** Commands whose keys can be changed; paste belongs to the browser. */
export const BINDABLE: readonly Command[] = COMMANDS.filter(({ id }) => id !== 'paste')

/** The custom bindings with `stroke` assigned to a command, or the reason why it cannot be. */
export function bound(habits: Habits, id: string, stroke: string): Habits['own'] | string {
  const taken = Object.hasOwn(TAKEN, stroke) ? TAKEN[stroke] : undefined
  if (taken !== undefined) return t('That key is for {taken}', { taken })
  const before = holderOf(habits, stroke)
  const others =
    before && before.id !== id ? { [before.id]: keysOf(before, habits).filter((key) => key !== stroke) } : {}
  return { ...habits.own, ...others, [id]: [stroke] }
}

/** The command bound to a stroke. */
export function holderOf(habits: Habits, stroke: string): Command | undefined {
  return COMMANDS.find((command) => keysOf(command, habits).includes(stroke))
}

/** Resets a command to its preset keys, except those assigned to another command. */
export function unbound({ preset, own }: Habits, id: string): Habits['own'] {
  return Object.fromEntries(
    Object.entries(own).flatMap(([each, keys]): readonly (readonly [string, readonly string[]])[] => {
      if (each !== id) return [[each, keys]]
      const given = new Set(Object.entries(own).flatMap(([other, theirs]) => (other === id ? [] : theirs)))
      const command = COMMANDS.find((one) => one.id === id)
      const usual = command ? keysOf(command, { preset, own: {} }) : []
      const free = usual.filter((key) => !given.has(key))
      return free.length === usual.length ? [] : [[id, free]]
    }),
  )
}
