// The dialog of key bindings: press a new key for a command; the command that had it loses it.
import { RotateCcw } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { t } from '../../language/language.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { ranked } from '../model/search.ts'
import { useChoices, useHabits } from './choices.ts'
import { type Command, keysOf, strokeName } from './commands.ts'
import { BINDABLE, bound, holderOf, unbound } from './own-keys.ts'

const ITEMS = BINDABLE.map((command) => ({ key: command.id, title: command.title, command }))
/** Modifiers alone are not a stroke. */
const HELD = ['Shift', 'Control', 'Alt', 'Meta', 'AltGraph']
const ABOUT = t('Press new keys for a command. They are saved in this browser for both presets.')

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const habits = useHabits()
  const [words, find] = useState('')
  const [asked, ask] = useState<string | null>(null)
  const [spoken, tell] = useState('')
  const give = (command: Command, stroke: string): void => {
    const before = holderOf(habits, stroke)
    const own = bound(habits, command.id, stroke)
    ask(null)
    if (typeof own === 'string') return tell(own)
    useChoices.setState({ own })
    tell(before && before.id !== command.id ? t('“{title}” has no longer these keys', { title: before.title }) : '')
  }
  const found = ranked(ITEMS, words)
  return (
    <Dialog open onClose={onClose} title={t('Keys of the canvas')} about={ABOUT} width="max-w-xl">
      <div className="flex items-center justify-between gap-3 pb-2">
        <SearchInput label={t('Find a command')} value={words} onChange={find} />
        <Button
          size="sm"
          disabled={Object.keys(habits.own).length === 0}
          onClick={() => {
            useChoices.setState({ own: {} })
            tell('')
          }}
        >
          {t('Reset all')}
        </Button>
      </div>
      <p role="status" className="min-h-5 text-xs text-ink-2">
        {spoken}
      </p>
      <ul aria-label={t('Commands')} className="max-h-[46vh] divide-y divide-line overflow-y-auto">
        {found.map(({ command }) => (
          <Row
            key={command.id}
            command={command}
            asked={asked === command.id}
            onAsk={() => ask(command.id)}
            onGive={(stroke) => give(command, stroke)}
            onLeave={() => ask(null)}
          />
        ))}
      </ul>
      {found.length === 0 && <p className="py-4 text-sm text-ink-2">{t('No command matches.')}</p>}
    </Dialog>
  )
}

type RowProps = {
  readonly command: Command
  readonly asked: boolean
  onAsk(): void
  onGive(stroke: string): void
  onLeave(): void
}

function Row({ command, asked, onAsk, onGive, onLeave }: RowProps) {
  const habits = useHabits()
  const keys = keysOf(command, habits)
  const id = useId()
  const press = (event: KeyboardEvent): void => {
    if (!asked || HELD.includes(event.key)) return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') onLeave()
    else onGive(strokeName(event.nativeEvent))
  }
  return (
    <li className="flex min-h-9 items-center gap-2 py-1 text-sm">
      <span id={`${id}-title`} className="min-w-0 grow truncate">
        {command.title}
      </span>
      <button
        type="button"
        id={`${id}-keys`}
        aria-labelledby={`${id}-title ${id}-keys`}
        title={t('Change the keys')}
        onClick={onAsk}
        onBlur={() => asked && onLeave()}
        onKeyDown={press}
        className={cx('flex min-h-7 items-center gap-2 rounded-md px-2 hover:bg-hover', asked && 'bg-pressed')}
      >
        {asked ? <span className="text-xs text-ink-2">{t('Press the keys, or Escape')}</span> : <Keys keys={keys} />}
      </button>
      <IconButton
        size="sm"
        label={t('“{title}” as in the preset', { title: command.title })}
        title={t('As in the preset')}
        className={command.id in habits.own ? '' : 'invisible'}
        onClick={() => useChoices.setState({ own: unbound(habits, command.id) })}
      >
        <RotateCcw />
      </IconButton>
    </li>
  )
}

function Keys({ keys }: { readonly keys: readonly string[] }) {
  if (keys.length === 0) return <span className="text-xs text-ink-3">{t('None')}</span>
  return keys.map((key) => <Kbd key={key} keys={key.split('+')} />)
}
