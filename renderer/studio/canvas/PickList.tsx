// A searchable list: type to filter, arrows to move, Enter to select, Escape to close.
import { Star } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { cx } from '../../ui/cx.ts'
import { type Findable, ranked } from '../model/search.ts'

export type Pick = Findable & { readonly about?: string; readonly mark?: ReactNode }

type Favourites = { readonly keys: readonly string[]; toggle(key: string): void }
type Props<T extends Pick> = {
  readonly label: string
  readonly placeholder: string
  readonly items: readonly T[]
  /** Keys of entries listed first. */
  readonly first?: readonly string[]
  readonly empty: string
  readonly favourites?: Favourites
  readonly at?: { readonly x: number; readonly y: number }
  onPick(item: T): void
  onClose(): void
}

/** The limit of rendered rows; typing narrows the list. */
const MOST = 300

export function PickList<T extends Pick>(props: Props<T>) {
  const { label, placeholder, items, first, empty, favourites, at, onPick, onClose } = props
  const [words, setWords] = useState('')
  const [index, setIndex] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const found = ranked(items, words, first).slice(0, MOST)
  const here = Math.min(index, found.length - 1)
  useEffect(() => {
    list.current?.children[here]?.scrollIntoView({ block: 'nearest' })
  }, [here])
  const press = (event: React.KeyboardEvent): void => {
    event.stopPropagation()
    const item = found[here]
    const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }
    const move = moves[event.key]
    if (move !== undefined) setIndex(Math.max(0, Math.min(found.length - 1, here + move)))
    else if (event.key === 'Enter' && item) onPick(item)
    else if (event.key === 'Escape' || event.key === 'Tab') onClose()
    else if (event.key === 'd' && (event.ctrlKey || event.metaKey) && item) favourites?.toggle(item.key)
    else return
    event.preventDefault()
  }
  return (
    <>
      {/* A click outside closes the list, as Escape does. */}
      <div aria-hidden className="fixed inset-0 z-40" onPointerDown={onClose} />
      <div
        role="dialog"
        aria-label={label}
        style={at ? placeFor(at) : { top: '14vh', left: 'calc(50% - 12rem)' }}
        className="pop float fixed z-50 flex w-96 flex-col overflow-hidden"
        onKeyDown={press}
      >
        <input
          autoFocus
          role="combobox"
          aria-label={label}
          aria-expanded
          aria-controls="pick-list"
          aria-activedescendant={found[here] ? `pick-${here}` : undefined}
          value={words}
          placeholder={placeholder}
          spellCheck={false}
          onChange={({ target }) => {
            setWords(target.value)
            setIndex(0)
          }}
          className="h-9 shrink-0 border-b border-line bg-transparent px-3 text-sm outline-none"
        />
        <ul ref={list} id="pick-list" role="listbox" aria-label={label} className="max-h-[27.5rem] overflow-y-auto p-1">
          {found.map((item, place) => (
            <li
              key={item.key}
              id={`pick-${place}`}
              role="option"
              aria-selected={place === here}
              className={cx('group flex h-7 items-center gap-2 rounded px-2 text-sm', place === here && 'bg-pressed')}
              onPointerMove={() => setIndex(place)}
              onClick={() => onPick(item)}
            >
              {item.mark}
              <span className="truncate">{item.title}</span>
              <span className="ml-auto truncate text-2xs text-ink-3">{item.about}</span>
              {favourites && <FavouriteMark favourites={favourites} name={item.key} />}
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className="px-3 pb-4 text-sm text-ink-2">{empty}</p>}
      </div>
    </>
  )
}

function FavouriteMark({ favourites, name }: { readonly favourites: Favourites; readonly name: string }) {
  const marked = favourites.keys.includes(name)
  return (
    <Star
      aria-hidden
      onClick={(event) => {
        event.stopPropagation()
        favourites.toggle(name)
      }}
      className={cx(
        'size-3.5 shrink-0',
        marked ? 'fill-brand text-brand' : 'text-ink-3 opacity-0 group-hover:opacity-100',
      )}
    />
  )
}

/** Next to the pointer, clamped to the screen. */
function placeFor({ x, y }: { readonly x: number; readonly y: number }) {
  return {
    left: Math.max(8, Math.min(x, window.innerWidth - 400)),
    top: Math.max(8, Math.min(y, window.innerHeight - 500)),
  }
}
