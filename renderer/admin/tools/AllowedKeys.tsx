// The keys that may call a tool: none named is all of them.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { findActiveKeys, keysOf } from '../../api/find.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Finder } from '../../ui/Finder.tsx'
import { formatCount } from '../../ui/format.ts'
import type { LimitsDraft } from './limits-draft.ts'

export function AllowedKeys({
  draft: { keyIds, hashes },
  readOnly,
  change,
  error,
}: {
  readonly draft: Pick<LimitsDraft, 'keyIds' | 'hashes'>
  readonly readOnly: boolean
  readonly change: (next: Partial<LimitsDraft>) => void
  readonly error: string | undefined
}) {
  const open = keyIds.length === 0 && hashes === 0
  return (
    <section aria-label="Who may call it" className="grid gap-2">
      <div>
        <h2 className="text-xs font-medium text-ink-2">Who may call it</h2>
        <p className="mt-0.5 text-xs text-ink-3">
          {open ? 'Every key that reaches it. Name keys, and only they may.' : 'Only these keys; any other is refused.'}
        </p>
      </div>
      {!open && (
        <ul className="card divide-y divide-line">
          <NamedKeys
            ids={keyIds}
            onTake={readOnly ? undefined : (id) => change({ keyIds: keyIds.filter((other) => other !== id) })}
          />
          {hashes > 0 && <Hashes count={hashes} onTake={readOnly ? undefined : () => change({ hashes: 0 })} />}
        </ul>
      )}
      {!readOnly && (
        <Finder
          label="Add a key that may call it"
          hideLabel
          className="w-80"
          value={null}
          placeholder="Add a key"
          none="There is no active key."
          queryKey={['keys']}
          find={async (q) => {
            const { items, more } = await findActiveKeys(q)
            const others = items.filter(({ id }) => !keyIds.includes(id))
            return {
              more,
              items: others.map(({ id, label, keyPrefix }) => ({ value: String(id), label, about: `${keyPrefix}…` })),
            }
          }}
          onPick={({ value }) => change({ keyIds: [...keyIds, Number(value)] })}
          error={error}
        />
      )}
    </section>
  )
}

function NamedKeys({
  ids,
  onTake,
}: {
  readonly ids: readonly number[]
  readonly onTake: ((id: number) => void) | undefined
}) {
  const { data } = useQuery({
    queryKey: ['keys', 'named', ids],
    queryFn: () => keysOf(ids),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  })
  return ids.map((id) => {
    const key = data?.find((each) => each.id === id)
    const name = key?.label ?? `Key ${id}`
    return (
      <li key={id} className="flex items-center gap-2 px-4 py-1.5 text-sm">
        <span className="min-w-0 grow truncate">
          {name}
          <span className="ml-2 text-xs text-ink-3">{key ? `${key.keyPrefix}…` : data && 'was deleted'}</span>
          {key && !key.active && <span className="ml-2 text-xs text-warn">does not work any more</span>}
        </span>
        {onTake && (
          <IconButton label={`Take ${name} out`} size="sm" onClick={() => onTake(id)}>
            <X />
          </IconButton>
        )}
      </li>
    )
  })
}

function Hashes({ count, onTake }: { readonly count: number; readonly onTake: (() => void) | undefined }) {
  return (
    <li className="flex items-center gap-2 px-4 py-1.5 text-sm">
      <span className="min-w-0 grow">
        {formatCount(count)} {count === 1 ? 'other key' : 'other keys'}
        <span className="ml-2 text-xs text-ink-3">
          given by value; only a hash is known, so taking out is not undone here
        </span>
      </span>
      {onTake && (
        <Button size="sm" look="quiet-danger" onClick={onTake}>
          Take out
        </Button>
      )}
    </li>
  )
}
