// The dialog of key bindings: press a new key for a command; the command that had it loses it.
import { RotateCcw } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
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
const ABOUT = 'Press new keys for a command. They are saved in this browser for both presets.'

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
    tell(before && before.id !== command.id ? `“${before.title}” has no longer these keys` : '')
  }
  const found = ranked(ITEMS, words)
  return (
    <Dialog open onClose={onClose} title="Keys of the canvas" about={ABOUT} width="max-w-xl">
      <div className="flex items-center justify-between gap-3 pb-2">
        <SearchInput label="Find a command" placeholder="Find a command" value={words} onChange={find} />
        <Button
          size="sm"
          disabled={Object.keys(habits.own).length === 0}
          onClick={() => {
            useChoices.setState({ own: {} })
            tell('')
          }}
        >
          Reset all
        </Button>
      </div>
      <p role="status" className="min-h-5 text-xs text-ink-2">
        {spoken}
      </p>
      <ul aria-label="Commands" className="max-h-[46vh] divide-y divide-line overflow-y-auto">
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
      {found.length === 0 && <p className="py-4 text-sm text-ink-2">No command matches.</p>}
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
        title="Change the keys"
        onClick={onAsk}
        onBlur={() => asked && onLeave()}
        onKeyDown={press}
        className={cx('flex min-h-7 items-center gap-2 rounded-md px-2 hover:bg-hover', asked && 'bg-pressed')}
      >
        {asked ? <span className="text-xs text-ink-2">Press the keys, or Escape</span> : <Keys keys={keys} />}
      </button>
      <IconButton
        size="sm"
        label={`“${command.title}” as in the preset`}
        title="As in the preset"
        className={command.id in habits.own ? '' : 'invisible'}
        onClick={() => useChoices.setState({ own: unbound(habits, command.id) })}
      >
        <RotateCcw />
      </IconButton>
    </li>
  )
}

function Keys({ keys }: { readonly keys: readonly string[] }) {
  if (keys.length === 0) return <span className="text-xs text-ink-3">None</span>
  return keys.map((key) => <Kbd key={key} keys={key.split('+')} />)
}
