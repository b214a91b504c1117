// The toolbar above the canvas: breadcrumb of graphs and the most used commands.
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
import type { ComponentProps, ReactNode } from 'react'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu, MenuCheck, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { nameOf } from '../model/edits.ts'
import { colour } from './arrange-commands.ts'
import { useBench } from './bench.ts'
import { PRESETS, useChoices, useHabits } from './choices.ts'
import { commandOf, shownKeys } from './commands.ts'
import { HUES } from './pin-look.ts'

/** Above the canvas, where it covers nothing; labels are hidden while the bar is narrow. */
export function CanvasBar() {
  return (
    <div
      role="toolbar"
      aria-label={t('Canvas')}
      className="@container flex h-10 shrink-0 items-center gap-0.5 overflow-x-auto border-b border-line bg-surface px-1.5"
    >
      <Crumbs />
      <Does id="add" icon={<Plus />} word={t('Add')} />
      <Does id="undo" icon={<Undo2 />} word={t('Undo')} />
      <Does id="redo" icon={<Redo2 />} word={t('Redo')} />
      <Divider />
      <Does id="layout" icon={<Network />} word={t('Lay out')} />
      <List label={t('Align and arrange')} word={t('Align')} icon={<AlignStartVertical />} ids={IN_LINE} />
      <Does id="frame" icon={<MessageSquare />} word={t('Comment')} />
      <Colours />
      <Divider />
      <Does id="fit" icon={<Scan />} word={t('Fit')} />
      <Does id="find" icon={<Search />} word={t('Find')} />
      <Does id="minimap" icon={<MapIcon />} word={t('Map and pins')} />
      <div className="grow" />
      <List label={t('Save and share')} word={t('Share')} icon={<Share2 />} ids={SHARE} />
      <Preferences />
    </div>
  )
}

const Divider = () => <span aria-hidden className="mx-1 h-5 w-px shrink-0 bg-line" />

type Labelled = { readonly label: string; readonly word: string; readonly icon: ReactNode }

/** A function of props, so that a menu can use the button as its trigger. */
function barButton({ label, word, icon, title, ...rest }: Labelled & Omit<ComponentProps<'button'>, 'ref'>) {
  return (
    <Button size="sm" look="quiet" aria-label={label} title={title ?? label} className="shrink-0 px-1!" {...rest}>
      {icon}
      <span aria-hidden className="hidden text-xs @min-[860px]:inline [:lang(de)_&]:@max-[1080px]:hidden">
        {word}
      </span>
    </Button>
  )
}

function useTitle(id: string): { readonly name: string; readonly title: string } {
  const habits = useHabits()
  const command = commandOf(id)
  const shown = shownKeys(command, habits)
  return { name: command.title, title: shown === undefined ? command.title : `${command.title} (${shown})` }
}

function Does({ id, icon, word }: { readonly id: string; readonly icon: ReactNode; readonly word: string }) {
  const bench = useBench()
  const { name, title } = useTitle(id)
  return barButton({ label: name, title, icon, word, onClick: () => void commandOf(id).run(bench) })
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
  'to-subgraph',
  'from-subgraph',
  'break',
  'connect',
]

const SHARE = [
  'compare',
  'merge',
  'copy-graph',
  'templates',
  'snippets',
  'save-png',
  'save-svg',
  'save-json',
  'copy-mermaid',
  'copy-script',
]

function List({ ids, ...labelled }: Labelled & { readonly ids: readonly string[] }) {
  return (
    <Menu trigger={barButton(labelled)}>
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
      trigger={barButton({
        label: t('Colour'),
        word: t('Colour'),
        title: t('Colour of the selection'),
        icon: <Palette />,
      })}
    >
      {HUES.map((hue) => (
        <MenuItem key={hue} onSelect={() => colour(bench, hue)}>
          <span aria-hidden className="size-4 rounded" style={{ background: `var(--g-hue-${hue})` }} />
          {hue}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={() => colour(bench, undefined)}>{t('Default colour')}</MenuItem>
    </Menu>
  )
}

const PRESET_TITLES = { ue: 'Unreal shortcuts', blender: 'Blender shortcuts' } as const

function Preferences() {
  const { preset, snap, dense } = useChoices()
  return (
    <Menu trigger={barButton({ label: t('Editor preferences'), word: t('Preferences'), icon: <Settings2 /> })}>
      {PRESETS.map((each) => (
        <MenuCheck key={each} checked={preset === each} onChange={() => useChoices.setState({ preset: each })}>
          {PRESET_TITLES[each]}
        </MenuCheck>
      ))}
      <MenuSeparator />
      <MenuCheck checked={snap} onChange={(next) => useChoices.setState({ snap: next })}>
        {t('Snap to the grid')}
      </MenuCheck>
      <MenuCheck checked={dense} onChange={(next) => useChoices.setState({ dense: next })}>
        {t('Compact nodes')}
      </MenuCheck>
      <MenuSeparator />
      <DoesItem id="keys" />
    </Menu>
  )
}

/** The parent graphs, as links back. */
function Crumbs() {
  const bench = useBench()
  if (bench.via.length === 0) return null
  return (
    <nav aria-label={t('Graphs above this one')} className="mr-1 flex shrink-0 items-center gap-1 px-1 text-sm">
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
      <Divider />
    </nav>
  )
}
