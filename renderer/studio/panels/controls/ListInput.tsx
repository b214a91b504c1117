// Lists of texts or numbers, and named texts: edit, add, remove.
import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../../../language/language.ts'
import { rich } from '../../../language/rich.tsx'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { NumberInput } from './NumberInput.tsx'
import { TextInput } from './TextInput.tsx'
import { type Commit, useHeld } from './use-held.ts'

export function ListInput({
  label,
  of,
  value,
  onCommit,
}: {
  readonly label: string
  readonly of: 'text' | 'number'
  readonly value: readonly unknown[]
  readonly onCommit: Commit<readonly unknown[]>
}) {
  // The next edit starts from the last value set, even before the editor was re-read.
  const { shown, commit } = useHeld(value, onCommit)
  const items = shown.map((item, index) => {
    const name = `${label} ${index + 1}`
    const change = (next: unknown) => commit(shown.with(index, next))
    return {
      key: `${index}`,
      name,
      remove: () => void commit(shown.toSpliced(index, 1)),
      body:
        of === 'number' ? (
          <NumberInput label={name} value={Number(item)} onCommit={change} />
        ) : (
          <TextInput label={name} value={String(item)} onCommit={change} />
        ),
    }
  })
  return <Items label={label} items={items} onAdd={() => void commit([...shown, of === 'number' ? 0 : ''])} />
}

export function MapInput({
  label,
  value,
  onCommit,
}: {
  readonly label: string
  readonly value: Readonly<Record<string, unknown>>
  readonly onCommit: Commit<Readonly<Record<string, unknown>>>
}) {
  const { shown, commit } = useHeld(value, onCommit)
  const entries = Object.entries(shown)
  const put = (index: number, entry: readonly [string, unknown]) =>
    commit(Object.fromEntries(entries.with(index, [...entry])))
  const taken = (name: string, index: number) =>
    entries.some(([other], at) => other === name && at !== index) ? t('This name already exists.') : undefined
  const items = entries.map(([name, text], index) => ({
    key: name,
    name: `${label} ${name}`,
    remove: () => void commit(Object.fromEntries(entries.toSpliced(index, 1))),
    body: (
      <>
        <TextInput
          label={t('{label} name {index}', { label, index: index + 1 })}
          value={name}
          wrong={(next) => taken(next, index)}
          onCommit={(next) => put(index, [next, text])}
        />
        <TextInput
          label={t('{label} value of {name}', { label, name })}
          value={String(text)}
          onCommit={(next) => put(index, [name, next])}
        />
      </>
    ),
  }))
  const fresh = t('Name{count}', { count: entries.length + 1 })
  return <Items label={label} items={items} onAdd={() => void commit({ ...shown, [fresh]: '' })} />
}

type Item = { readonly key: string; readonly name: string; readonly body: ReactNode; readonly remove: () => void }

function Items({
  label,
  items,
  onAdd,
}: {
  readonly label: string
  readonly items: readonly Item[]
  readonly onAdd: () => void
}) {
  return (
    <div role="group" aria-label={label} className="flex flex-col gap-1">
      {items.map(({ key, name, body, remove }) => (
        <div key={key} className="flex items-center gap-1">
          {body}
          <IconButton label={t('Remove {name}', { name })} size="sm" onClick={remove}>
            <X />
          </IconButton>
        </div>
      ))}
      <Button size="sm" look="quiet" className="self-start" aria-label={t('Add to {label}', { label })} onClick={onAdd}>
        {rich('{plus} Add', { plus: <Plus /> })}
      </Button>
    </div>
  )
}
