// The items that an import changes: one checkbox for each, its changes in words.

import { t } from '../../language/language.ts'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { actionOf, type ChangedItem, changeWords, turned } from './changed-items.ts'

const TONES: Readonly<Record<ChangedItem['kind'], Tone>> = { added: 'ok', removed: 'bad', changed: 'info' }

/** The limit of shown items; the rest is imported. */
const MOST_SHOWN = 300
const MOST_TEXTS = 20
const MOST_TEXT = 160

const short = (text: string): string => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT - 1)}…` : text)

export function ItemList({
  items,
  left,
  onLeave,
}: {
  readonly items: readonly ChangedItem[]
  /** Items that are not imported. */
  readonly left: ReadonlySet<string>
  readonly onLeave: (left: ReadonlySet<string>) => void
}) {
  const chosen = items.filter(({ pointer }) => !left.has(pointer)).length
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex items-center gap-3">
        <Checkbox
          label={t('{chosen} of {count} selected', { chosen, count: items.length })}
          checked={chosen === items.length}
          mixed={chosen > 0 && chosen < items.length}
          onChange={(on) => onLeave(new Set(on ? [] : items.map(({ pointer }) => pointer)))}
        />
      </div>
      <ul aria-label={t('Changes')} className="divide-y divide-line rounded-md border border-line">
        {items.slice(0, MOST_SHOWN).map((item) => (
          <li key={item.pointer} className="px-3 py-2">
            <div className="flex items-start gap-2.5">
              <Checkbox
                label={actionOf(item)}
                checked={!left.has(item.pointer)}
                onChange={(on) => onLeave(turned(items, left, item.pointer, on))}
              />
              <span className="grow" />
              <Badge tone={TONES[item.kind]}>{item.kind}</Badge>
            </div>
            {item.changes.length > 0 && <Changes item={item} />}
          </li>
        ))}
      </ul>
      {items.length > MOST_SHOWN && (
        <p className="text-xs text-ink-3">
          {t('{count} more items are imported.', { count: items.length - MOST_SHOWN })}
        </p>
      )}
    </div>
  )
}

function Changes({ item }: { readonly item: ChangedItem }) {
  return (
    <dl className="mt-1.5 ml-6.5 flex flex-col gap-1 text-xs">
      {item.changes.map((change) => {
        const { field, removed, added } = changeWords(change, item.pointer)
        return (
          <div key={change.path} className="flex flex-wrap gap-x-2">
            <dt className="text-ink-2">{field}</dt>
            <dd className="min-w-0 break-all">
              <Texts of={removed} word={t('was')} mark="−" className="text-bad" />
              <Texts of={added} word={t('is')} mark="+" className="text-ok" />
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

function Texts({
  of,
  word,
  mark,
  className,
}: {
  readonly of: readonly string[]
  readonly word: string
  readonly mark: string
  readonly className: string
}) {
  return (
    <>
      {of.slice(0, MOST_TEXTS).map((text) => (
        <span key={text} className={`mr-2 ${className}`}>
          <span aria-hidden>{mark} </span>
          <span className="sr-only">{word} </span>
          {short(text)}
        </span>
      ))}
      {of.length > MOST_TEXTS && (
        <span className="text-ink-3">{t('and {count} more', { count: of.length - MOST_TEXTS })}</span>
      )}
    </>
  )
}
