// Keys that somebody gave a command: instead of those of the preset, and taken from whatever had them. Pure.
import type { Habits } from './choices.ts'
import { COMMANDS, type Command, keysOf } from './commands.ts'

/** The shell's own on every page, and the browser's paste, which brings its text along. */
const TAKEN: Readonly<Record<string, string>> = {
  '?': 'the sheet of keys',
  'mod+k': 'the search of the whole application',
  '[': 'the navigation',
  g: 'going to a page',
  r: 'reading a page again',
  'mod+v': 'pasting',
}

/** Those that can be given other keys: the browser's paste cannot. */
export const BINDABLE: readonly Command[] = COMMANDS.filter(({ id }) => id !== 'paste')

/** The own keys after one command was given a stroke; or why it cannot have it. */
export function bound(habits: Habits, id: string, stroke: string): Habits['own'] | string {
  const taken = Object.hasOwn(TAKEN, stroke) ? TAKEN[stroke] : undefined
  if (taken !== undefined) return `That key is for ${taken}`
  const before = holderOf(habits, stroke)
  const others =
    before && before.id !== id ? { [before.id]: keysOf(before, habits).filter((key) => key !== stroke) } : {}
  return { ...habits.own, ...others, [id]: [stroke] }
}

/** What a stroke does now. */
export function holderOf(habits: Habits, stroke: string): Command | undefined {
  return COMMANDS.find((command) => keysOf(command, habits).includes(stroke))
}

/** One command as the preset has it, unless another one was given those keys since. */
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
