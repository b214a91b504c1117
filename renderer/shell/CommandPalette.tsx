// The command palette: pages, actions and records by name.
import { Dialog } from '@base-ui/react/dialog'
import { Command, defaultFilter } from 'cmdk'
import {
  Boxes,
  CalendarClock,
  CornerDownLeft,
  Gauge,
  KeyRound,
  type LucideIcon,
  Network,
  Radio,
  Scale,
  Search,
  Server,
  UserRound,
  Workflow,
  Wrench,
} from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { mayUse } from '#contract'
import { useActor } from '../api/session.ts'
import { t } from '../language/language.ts'
import { faultOf } from '../ui/fault.ts'
import { Kbd } from '../ui/Kbd.tsx'
import { useOverlay } from '../ui/keys/overlay.ts'
import type { Action } from '../ui/keys/page-actions.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import { keyCaps } from './key-caps.ts'
import { type Kind, type PaletteRecord, usePaletteRecords } from './palette-records.ts'
import { askedIn, VERBS, type Verb } from './palette-verbs.ts'
import { RECORD_KINDS, type Recent, recentOf, useRecent } from './recent.ts'
import { usePaletteAction } from './use-palette-action.ts'

const close = (): void => useOverlay.setState({ open: null })

const KINDS: Readonly<Record<Kind, { readonly icon: LucideIcon; readonly heading: string }>> = {
  backend: { icon: Server, heading: t('Backends') },
  tool: { icon: Wrench, heading: t('Tools') },
  bundle: { icon: Boxes, heading: t('Bundles') },
  composite: { icon: Workflow, heading: t('Composites') },
  key: { icon: KeyRound, heading: t('Keys') },
  consumer: { icon: Gauge, heading: t('Consumers') },
  policy: { icon: Scale, heading: t('Policies') },
  team: { icon: Network, heading: t('Teams') },
  user: { icon: UserRound, heading: t('Users') },
  schedule: { icon: CalendarClock, heading: t('Schedules') },
  call: { icon: Radio, heading: t('Calls') },
}

export function CommandPalette({ open, actions }: { readonly open: boolean; readonly actions: readonly Action[] }) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="veil" />
        <Popup actions={actions} />
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Popup({ actions }: { readonly actions: readonly Action[] }) {
  const popup = useRef<HTMLDivElement>(null)
  // The field takes the focus on mount, so that no key is lost; the previous focus must be recorded before.
  const [before] = useState(() => document.activeElement)
  return (
    <Dialog.Popup
      ref={popup}
      data-palette
      aria-label={t('Command palette')}
      finalFocus={() => {
        const { activeElement } = document
        // The choice may have opened another page or dialog.
        const free = activeElement === document.body || popup.current?.contains(activeElement)
        return free && before instanceof HTMLElement && before.isConnected ? before : false
      }}
      className="pop float fixed top-[14vh] left-1/2 z-50 w-full max-w-xl -translate-x-1/2 overflow-hidden"
    >
      <Content actions={actions} />
    </Dialog.Popup>
  )
}

function Content({ actions }: { readonly actions: readonly Action[] }) {
  const actor = useActor()
  const [typed, setTyped] = useState('')
  const [value, setValue] = useState('')
  /** The first line stays highlighted until the user moves, even if it arrives late. */
  const [moved, setMoved] = useState(false)
  const asked = askedIn(typed)
  const rested = askedIn(useDebounced(typed))
  const found = usePaletteRecords(rested)
  const recent = recentOf(
    useRecent((state) => state.recent),
    actor.name,
  )
  const act = usePaletteAction()
  const named = asked.verb
    ? []
    : matching(
        actions.filter(({ keys }) => keys !== 'mod+k'),
        typed,
      )
  const pages = named.filter(({ keys }) => keys?.startsWith('g '))
  const others = named.filter((action) => !pages.includes(action))
  const verbs = asked.verb || !mayUse(actor, 'operator') ? [] : matching(VERBS, typed)
  const records = typed.trim() === '' ? [] : (found.data?.records ?? [])
  const waiting = typed.trim() !== '' && (found.isFetching || rested.words !== asked.words)
  const first =
    [
      ...(typed.trim() === '' ? recent.map(recentValue) : []),
      ...pages.map(({ title }) => title),
      ...RECORD_KINDS.flatMap((kind) => records.filter((each) => each.kind === kind)).map(recordValue),
      ...others.map(({ title }) => title),
      ...verbs.map(verbValue),
    ][0] ?? ''
  const type = (next: string): void => {
    setTyped(next)
    setMoved(false)
  }
  const choose = (record: PaletteRecord | Recent): void => {
    close()
    act(record, asked.verb)
  }
  return (
    // Already filtered by the gateway and `matching`.
    <Command
      label={t('Command palette')}
      loop
      shouldFilter={false}
      // Else Ctrl K moves up a line where the field still has the focus of a palette that was just closed.
      vimBindings={false}
      value={moved ? value : first}
      onValueChange={setValue}
      onKeyDown={({ key }) => /^(Arrow|Home|End)/.test(key) && setMoved(true)}
      onPointerMove={() => setMoved(true)}
    >
      <SearchLine typed={typed} onType={type} />
      <Command.List className="max-h-[22rem] overflow-y-auto p-2">
        {!waiting && (
          <Command.Empty className="px-3 py-8 text-center text-sm text-ink-2">{t('No results.')}</Command.Empty>
        )}
        {typed.trim() === '' && <Lately recent={recent} onChoose={choose} />}
        <Actions heading={t('Go to')} actions={pages} />
        {RECORD_KINDS.map((kind) => (
          <Records
            key={kind}
            kind={kind}
            records={records.filter((record) => record.kind === kind)}
            verb={asked.verb?.title}
            onChoose={choose}
          />
        ))}
        <Actions heading={t('Do')} actions={others} />
        <Verbs verbs={verbs} onChoose={({ word }) => type(`${word} `)} />
      </Command.List>
      <p role="status" className="border-t border-line px-4 py-2 text-xs text-ink-3 empty:hidden">
        {found.data?.failed ? faultOf(found.data.failed).message : waiting ? t('Looking…') : null}
      </p>
    </Command>
  )
}

function SearchLine({ typed, onType }: { readonly typed: string; readonly onType: (next: string) => void }) {
  return (
    <div className="flex items-center gap-3 border-b border-line px-4">
      <Search aria-hidden className="size-4 text-ink-3" />
      <Command.Input
        autoFocus
        value={typed}
        onValueChange={onType}
        placeholder={t('Search pages, backends, tools, keys and actions')}
        className="h-12 grow bg-transparent text-base outline-none"
      />
      <Kbd keys={['Esc']} />
    </div>
  )
}

function Lately({
  recent,
  onChoose,
}: {
  readonly recent: readonly Recent[]
  readonly onChoose: (record: Recent) => void
}) {
  if (recent.length === 0) return null
  return (
    <Group heading={t('Recent')}>
      {recent.map((record) => (
        <Item
          key={record.to}
          value={recentValue(record)}
          icon={KINDS[record.kind].icon}
          onSelect={() => onChoose(record)}
        >
          {record.name}
        </Item>
      ))}
    </Group>
  )
}

function Verbs({ verbs, onChoose }: { readonly verbs: readonly Verb[]; readonly onChoose: (verb: Verb) => void }) {
  if (verbs.length === 0) return null
  return (
    <Group heading={t('Actions')}>
      {verbs.map((verb) => (
        <Item key={verb.word} value={verbValue(verb)} icon={KINDS[verb.kind].icon} onSelect={() => onChoose(verb)}>
          {verb.title}…
        </Item>
      ))}
    </Group>
  )
}

const recentValue = ({ to }: Recent): string => `lately ${to}`
const recordValue = ({ kind, to, about }: PaletteRecord): string => `${kind} ${to} ${about}`
const verbValue = ({ word }: Verb): string => `verb ${word}`

/** The minimum score: below it letters are merely scattered over the title. */
const LEAST_SCORE = 0.3

/** Scored like the list, best first. */
function matching<T extends { readonly title: string }>(all: readonly T[], typed: string): readonly T[] {
  const words = typed.trim()
  if (words === '') return all
  const score = ({ title }: T): number => defaultFilter(title, words)
  return all.filter((each) => score(each) > LEAST_SCORE).toSorted((a, b) => score(b) - score(a))
}

function Records({
  kind,
  records,
  verb,
  onChoose,
}: {
  readonly kind: Kind
  readonly records: readonly PaletteRecord[]
  readonly verb: string | undefined
  readonly onChoose: (record: PaletteRecord) => void
}) {
  if (records.length === 0) return null
  const { icon, heading } = KINDS[kind]
  return (
    <Group heading={verb ?? heading}>
      {records.map((record) => (
        <Item
          key={`${record.to} ${record.about}`}
          value={recordValue(record)}
          icon={icon}
          about={record.about}
          onSelect={() => onChoose(record)}
        >
          {record.name}
        </Item>
      ))}
    </Group>
  )
}

function Actions({ heading, actions }: { readonly heading: string; readonly actions: readonly Action[] }) {
  if (actions.length === 0) return null
  return (
    <Group heading={heading}>
      {actions.map(({ title, icon, keys, run }) => (
        <Item
          key={title}
          value={title}
          icon={icon}
          keys={keys}
          onSelect={() => {
            close()
            run()
          }}
        >
          {title}
        </Item>
      ))}
    </Group>
  )
}

function Group({ heading, children }: { readonly heading: string; readonly children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:tracking-[0.04em] [&_[cmdk-group-heading]]:text-ink-3 [&_[cmdk-group-heading]]:uppercase"
    >
      {children}
    </Command.Group>
  )
}

function Item({
  value,
  icon: Icon,
  about,
  keys,
  onSelect,
  children,
}: {
  readonly value: string
  readonly icon: LucideIcon
  readonly about?: string
  readonly keys?: string | undefined
  readonly onSelect: () => void
  readonly children: ReactNode
}) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="group flex h-9 items-center gap-3 rounded-md px-3 text-sm data-[selected=true]:bg-pressed"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-ink-3" />
      <span className="min-w-0 truncate">{children}</span>
      {about && <span className="min-w-0 truncate text-xs text-ink-3">{about}</span>}
      <span className="grow" />
      {keys ? (
        <Kbd keys={keyCaps(keys)} />
      ) : (
        <CornerDownLeft aria-hidden className="hidden size-3.5 text-ink-3 group-data-[selected=true]:block" />
      )}
    </Command.Item>
  )
}
