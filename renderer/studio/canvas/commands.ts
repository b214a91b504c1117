// The table of canvas commands: name, keys per preset, action. Keys, menus and the key sheet derive from it.

import { t } from '../../language/language.ts'
import type { Alignment } from '../model/align.ts'
import { ALIGNMENTS } from '../model/align.ts'
import { ALIGNS, align, collapse, distribute, frame, layOut, nudge, snap, straighten } from './arrange-commands.ts'
import type { Bench } from './bench.ts'
import { type Habits, type Preset, useChoices } from './choices.ts'
import { breakWires, connectChosen, copy, cut, duplicate, openAdd, openWire, paste, remove } from './edit-commands.ts'
import { hold } from './hand.ts'
import {
  chooseAll,
  chooseNone,
  enter,
  fit,
  frameChosen,
  goToBookmark,
  leave,
  openMenu,
  setBookmark,
  toOtherEnds,
  walk,
  walkAll,
} from './see-commands.ts'
import { copyMermaid, copyScript, saveJson, savePng, saveSvg } from './share-commands.ts'
import { fromSubgraph, toSubgraph } from './subgraph-commands.ts'
import { display, inspect, toggleSetting } from './switch-commands.ts'

export type Command = {
  readonly id: string
  readonly title: string
  /** In `strokeName` format; one list if both presets agree. */
  readonly keys: readonly string[] | Readonly<Record<Preset, readonly string[]>>
  /** Repeats while the key is held. */
  readonly repeats?: true
  run(bench: Bench): unknown
}

const SLOTS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const
const STEP = 8
const ALIGN_KEYS: Readonly<Partial<Record<Alignment, string>>> = {
  left: 'shift+a',
  right: 'shift+d',
  top: 'shift+w',
  bottom: 'shift+s',
}

export const COMMANDS: readonly Command[] = [
  {
    id: 'add',
    title: t('Add a node'),
    keys: { ue: ['Tab', 'Space'], blender: ['shift+a', 'Tab', 'Space'] },
    run: openAdd,
  },
  {
    id: 'delete',
    title: t('Delete'),
    keys: { ue: ['Delete', 'Backspace'], blender: ['x', 'Delete', 'Backspace'] },
    run: (bench) => remove(bench),
  },
  { id: 'undo', title: t('Undo'), keys: ['mod+z'], repeats: true, run: (bench) => bench.reverse('undo') },
  {
    id: 'redo',
    title: t('Redo'),
    keys: ['mod+shift+z', 'mod+y'],
    repeats: true,
    run: (bench) => bench.reverse('redo'),
  },
  { id: 'copy', title: t('Copy'), keys: ['mod+c'], run: copy },
  { id: 'cut', title: t('Cut'), keys: ['mod+x'], run: cut },
  // For menus only: the key triggers the browser's paste event.
  { id: 'paste', title: t('Paste'), keys: ['mod+v'], run: paste },
  { id: 'duplicate', title: t('Duplicate'), keys: { ue: ['mod+d'], blender: ['shift+d', 'mod+d'] }, run: duplicate },
  { id: 'all', title: t('Select all'), keys: { ue: ['mod+a'], blender: ['a', 'mod+a'] }, run: chooseAll },
  { id: 'none', title: t('Select none'), keys: { ue: ['Escape'], blender: ['Escape', 'alt+a'] }, run: chooseNone },
  { id: 'wire', title: t('Connect the node by name'), keys: ['w'], run: openWire },
  { id: 'connect', title: t('Connect the selected nodes'), keys: { ue: ['q'], blender: ['f'] }, run: connectChosen },
  {
    id: 'break',
    title: t('Disconnect the selected nodes'),
    keys: { ue: ['alt+d'], blender: ['alt+d', 'mod+alt+x'] },
    run: breakWires,
  },
  {
    id: 'frame',
    title: t('Add a comment around the selection'),
    keys: { ue: ['c'], blender: ['mod+j', 'c'] },
    run: frame,
  },
  { id: 'collapse', title: t('Hide or show unused pins'), keys: { ue: ['h'], blender: ['h', 'mod+h'] }, run: collapse },
  { id: 'layout', title: t('Lay out'), keys: { ue: ['l'], blender: ['v'] }, run: layOut },
  { id: 'straighten', title: t('Straighten wires'), keys: { ue: ['shift+q'], blender: ['shift+q'] }, run: straighten },
  ...ALIGNMENTS.map((how) => ({
    id: `align-${how}`,
    title: ALIGNS[how],
    keys: { ue: ALIGN_KEYS[how] === undefined ? [] : [ALIGN_KEYS[how]], blender: [] },
    run: (bench: Bench) => align(bench, how),
  })),
  { id: 'across', title: t('Distribute across'), keys: [], run: (bench) => distribute(bench, 'across') },
  { id: 'down', title: t('Distribute down'), keys: [], run: (bench) => distribute(bench, 'down') },
  { id: 'snap', title: t('Snap to the grid'), keys: [], run: snap },
  { id: 'fit', title: t('Zoom to fit'), keys: { ue: ['Home'], blender: ['Home'] }, run: fit },
  { id: 'focus', title: t('Zoom to the selection'), keys: { ue: ['f'], blender: ['.'] }, run: frameChosen },
  { id: 'find', title: t('Find in the graph'), keys: ['mod+f'], run: () => hold({ picking: { kind: 'find' } }) },
  { id: 'enter', title: t('Open the node'), keys: ['Enter'], run: (bench) => enter(bench) },
  {
    id: 'leave',
    title: t('Leave the subgraph'),
    keys: { ue: ['alt+ArrowUp'], blender: ['alt+ArrowUp', 'mod+Tab'] },
    run: leave,
  },
  { id: 'other-ends', title: t('Go to the declaration or usages'), keys: ['alt+r'], run: toOtherEnds },
  {
    id: 'left',
    title: t('Go to the input node'),
    keys: ['ArrowLeft'],
    repeats: true,
    run: (bench) => walk(bench, 'left'),
  },
  {
    id: 'right',
    title: t('Go to the output node'),
    keys: ['ArrowRight'],
    repeats: true,
    run: (bench) => walk(bench, 'right'),
  },
  { id: 'up', title: t('Go to the node above'), keys: ['ArrowUp'], repeats: true, run: (bench) => walk(bench, 'up') },
  {
    id: 'down-one',
    title: t('Go to the node below'),
    keys: ['ArrowDown'],
    repeats: true,
    run: (bench) => walk(bench, 'down'),
  },
  { id: 'next', title: t('Go to the next node'), keys: ['PageDown'], repeats: true, run: (bench) => walkAll(bench, 1) },
  {
    id: 'previous',
    title: t('Go to the previous node'),
    keys: ['PageUp'],
    repeats: true,
    run: (bench) => walkAll(bench, -1),
  },
  { id: 'menu', title: t('Menu of the node'), keys: ['shift+F10', 'ContextMenu'], run: openMenu },
  { id: 'nudge-left', title: t('Move left'), keys: ['shift+ArrowLeft'], run: (bench) => nudge(bench, -STEP, 0) },
  { id: 'nudge-right', title: t('Move right'), keys: ['shift+ArrowRight'], run: (bench) => nudge(bench, STEP, 0) },
  { id: 'nudge-up', title: t('Move up'), keys: ['shift+ArrowUp'], run: (bench) => nudge(bench, 0, -STEP) },
  { id: 'nudge-down', title: t('Move down'), keys: ['shift+ArrowDown'], run: (bench) => nudge(bench, 0, STEP) },
  ...SLOTS.map((slot) => ({
    id: `bookmark-${slot}`,
    title: slot === 1 ? t('To bookmark 1, and so on to 9') : t('To bookmark {slot}', { slot }),
    keys: [String(slot)],
    run: (bench: Bench) => goToBookmark(bench, slot),
  })),
  ...SLOTS.map((slot) => ({
    id: `set-bookmark-${slot}`,
    title: slot === 1 ? t('Set bookmark 1, and so on to 9') : t('Set bookmark {slot}', { slot }),
    keys: [`shift+${slot}`],
    run: (bench: Bench) => setBookmark(bench, slot),
  })),
  {
    id: 'minimap',
    title: t('Map and pins, show or hide'),
    keys: ['m'],
    run: () => useChoices.setState(({ minimap }) => ({ minimap: !minimap })),
  },
  {
    id: 'dense',
    title: t('Compact or regular nodes'),
    keys: [],
    run: () => useChoices.setState(({ dense }) => ({ dense: !dense })),
  },
  { id: 'enable', title: t('Enable or disable'), keys: ['e'], run: (bench) => toggleSetting(bench, 'bEnabled') },
  {
    id: 'debug',
    title: t('Debug, on or off'),
    keys: { ue: ['d'], blender: ['mod+shift+d'] },
    run: (bench) => toggleSetting(bench, 'bDebug'),
  },
  { id: 'inspect', title: t('Inspect the data'), keys: { ue: ['a'], blender: ['i'] }, run: inspect },
  { id: 'display', title: t('Keep its data shown'), keys: { ue: ['v'], blender: ['shift+v'] }, run: display },
  { id: 'to-subgraph', title: t('Collapse to a subgraph'), keys: ['mod+g'], run: toSubgraph },
  { id: 'from-subgraph', title: t('Expand the subgraph'), keys: ['mod+alt+g'], run: fromSubgraph },
  { id: 'templates', title: t('Templates…'), keys: [], run: () => hold({ picking: { kind: 'templates' } }) },
  { id: 'snippets', title: t('Snippets'), keys: [], run: () => hold({ picking: { kind: 'snippets' } }) },
  {
    id: 'copy-graph',
    title: t('Copy this graph to another editor…'),
    keys: [],
    run: () => hold({ picking: { kind: 'copy-graph' } }),
  },
  { id: 'compare', title: t('Compare side by side…'), keys: [], run: () => hold({ picking: { kind: 'compare' } }) },
  { id: 'merge', title: t('Merge…'), keys: [], run: () => hold({ picking: { kind: 'merge' } }) },
  { id: 'save-png', title: t('Save a picture (PNG)'), keys: [], run: savePng },
  { id: 'save-svg', title: t('Save a drawing (SVG)'), keys: [], run: saveSvg },
  { id: 'save-json', title: t('Save the nodes as JSON, to paste elsewhere'), keys: [], run: saveJson },
  { id: 'copy-mermaid', title: t('Copy as a Mermaid diagram'), keys: [], run: copyMermaid },
  { id: 'copy-script', title: t('Copy as a program of MCP calls'), keys: [], run: copyScript },
  { id: 'keys', title: t('Change the keys'), keys: [], run: () => hold({ picking: { kind: 'keys' } }) },
]

export function keysOf({ id, keys }: Command, { preset, own }: Habits): readonly string[] {
  const given = Object.hasOwn(own, id) ? own[id] : undefined
  return given ?? ('ue' in keys ? keys[preset] : keys)
}

/** The first key of a command, as text. */
export function shownKeys(command: Command, habits: Habits): string | undefined {
  return keysOf(command, habits)[0]?.replace('mod', 'Ctrl').replaceAll('+', ' ')
}

const COMMAND: ReadonlyMap<string, Command> = new Map(COMMANDS.map((command) => [command.id, command]))
export function commandOf(id: string): Command {
  const command = COMMAND.get(id)
  if (!command) throw new Error(`no command ${id}`)
  return command
}

/** `mod+shift+z`, `Delete`, `Space`; digits by physical key, independent of Shift. */
export function strokeName(
  event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): string {
  const digit = /^Digit(\d)$/.exec(event.code)?.[1]
  const key = digit ?? (event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toLowerCase() : event.key)
  const symbol = key.length === 1 && !/[a-z0-9]/.test(key)
  return [
    ...(event.ctrlKey || event.metaKey ? ['mod'] : []),
    ...(event.altKey ? ['alt'] : []),
    ...(event.shiftKey && !symbol ? ['shift'] : []),
    key,
  ].join('+')
}
