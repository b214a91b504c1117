// The toolbar on the canvas: breadcrumb of graphs and the most used commands.
import { Panel } from '@xyflow/react'
import {
  AlignStartVertical,
  ChevronRight,
  ListTree,
  Map as MapIcon,
  MessageSquare,
  Network,
  Palette,
  Plus,
  Redo2,
  Scan,
  Search,
  Settings2,
  Share2,
  Undo2,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../ui/Button.tsx'
import { Menu, MenuCheck, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { nameOf } from '../model/edits.ts'
import { colour } from './arrange-commands.ts'
import { useBench } from './bench.ts'
import { PRESETS, useChoices, useHabits } from './choices.ts'
import { commandOf, keysOf } from './commands.ts'
import { HUES } from './pin-look.ts'

export function CanvasBar() {
  return (
    <Panel position="bottom-left" className="pop float flex items-center gap-0.5 p-1">
      <Does id="add" icon={<Plus />} />
      <Does id="undo" icon={<Undo2 />} />
      <Does id="redo" icon={<Redo2 />} />
      <Does id="layout" icon={<Network />} />
      <List label="Align and arrange" icon={<AlignStartVertical />} ids={IN_LINE} />
      <Does id="frame" icon={<MessageSquare />} />
      <Colours />
      <Does id="fit" icon={<Scan />} />
      <Does id="find" icon={<Search />} />
      <Does id="minimap" icon={<MapIcon />} />
      <List label="Save and share" icon={<Share2 />} ids={SHARE} />
      <Habits />
    </Panel>
  )
}

function useTitle(id: string): { readonly name: string; readonly title: string } {
  const habits = useHabits()
  const command = commandOf(id)
  const [keys] = keysOf(command, habits)
  const shown = keys?.replace('mod', 'Ctrl').replaceAll('+', ' ')
  return { name: command.title, title: shown === undefined ? command.title : `${command.title} (${shown})` }
}

function Does({ id, icon }: { readonly id: string; readonly icon: ReactNode }) {
  const bench = useBench()
  const { name, title } = useTitle(id)
  return (
    <IconButton size="sm" label={name} title={title} onClick={() => commandOf(id).run(bench)}>
      {icon}
    </IconButton>
  )
}

const IN_LINE = [
  'align-left',
  'align-center',
  'align-right',
  'align-top',
  'align-middle',
  'align-bottom',
  'across',
  'down',
  'straighten',
  'snap',
  'collapse',
  'break',
  'connect',
]

const SHARE = ['snippets', 'save-png', 'save-svg', 'save-json', 'copy-mermaid', 'copy-script']

type ListProps = { readonly label: string; readonly icon: ReactNode; readonly ids: readonly string[] }

function List({ label, icon, ids }: ListProps) {
  return (
    <Menu
      trigger={
        <IconButton size="sm" label={label} title={label}>
          {icon}
        </IconButton>
      }
    >
      {ids.map((id) => (
        <DoesItem key={id} id={id} />
      ))}
    </Menu>
  )
}

function DoesItem({ id }: { readonly id: string }) {
  const bench = useBench()
  const { title } = useTitle(id)
  return <MenuItem onSelect={() => commandOf(id).run(bench)}>{title}</MenuItem>
}

function Colours() {
  const bench = useBench()
  return (
    <Menu
      trigger={
        <IconButton size="sm" label="Colour" title="Colour of the selection">
          <Palette />
        </IconButton>
      }
    >
      {HUES.map((hue) => (
        <MenuItem key={hue} onSelect={() => colour(bench, hue)}>
          <span aria-hidden className="size-4 rounded" style={{ background: `var(--g-hue-${hue})` }} />
          {hue}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={() => colour(bench, undefined)}>Default colour</MenuItem>
    </Menu>
  )
}

const PRESET_TITLES = { ue: 'Keys as in Unreal', blender: 'Keys as in Blender' } as const

function Habits() {
  const { preset, snap, dense } = useChoices()
  return (
    <Menu
      trigger={
        <IconButton size="sm" label="Habits" title="Keys and grid">
          <Settings2 />
        </IconButton>
      }
    >
      {PRESETS.map((each) => (
        <MenuCheck key={each} checked={preset === each} onChange={() => useChoices.setState({ preset: each })}>
          {PRESET_TITLES[each]}
        </MenuCheck>
      ))}
      <MenuSeparator />
      <MenuCheck checked={snap} onChange={(next) => useChoices.setState({ snap: next })}>
        Snap to the grid
      </MenuCheck>
      <MenuCheck checked={dense} onChange={(next) => useChoices.setState({ dense: next })}>
        Compact nodes
      </MenuCheck>
      <MenuSeparator />
      <DoesItem id="keys" />
    </Menu>
  )
}

/** The parent graphs, as links back. */
export function Crumbs() {
  const bench = useBench()
  if (bench.via.length === 0) return null
  return (
    <Panel position="top-left">
      <nav aria-label="Graphs above this one" className="pop float flex items-center gap-1 px-2 py-1 text-sm">
        <ListTree aria-hidden className="size-4 text-ink-3" />
        {bench.via.map((path, index) => (
          <span key={path} className="flex items-center gap-1">
            <button
              type="button"
              className="rounded px-1 text-link hover:bg-hover"
              onClick={() => bench.open(path, bench.via.slice(0, index))}
            >
              {nameOf(path)}
            </button>
            <ChevronRight aria-hidden className="size-3.5 text-ink-3" />
          </span>
        ))}
        <span className="font-medium">{nameOf(bench.view.path)}</span>
      </nav>
    </Panel>
  )
}
