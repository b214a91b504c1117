// The allowed keys of a tool; empty means all.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { findActiveKeys, keysOf } from '../../api/find.ts'
import { t } from '../../language/language.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Finder } from '../../ui/Finder.tsx'
import { formatCount } from '../../ui/format.ts'

export function AllowedKeys({
  ids,
  readOnly,
  error,
  onChange,
}: {
  readonly ids: readonly number[]
  readonly readOnly: boolean
  readonly error: string | undefined
  readonly onChange: (ids: readonly number[]) => void
}) {
  return (
    <div className="grid gap-2">
      <NamedKeys ids={ids} onTake={readOnly ? undefined : (id) => onChange(ids.filter((other) => other !== id))} />
      {!readOnly && (
        <Finder
          label={t('Add a key')}
          hideLabel
          className="w-80"
          value={null}
          placeholder={t('Add a key')}
          none={t('No active keys.')}
          queryKey={['keys']}
          find={async (q) => {
            const { items, more } = await findActiveKeys(q)
            const others = items.filter(({ id }) => !ids.includes(id))
            return {
              more,
              items: others.map(({ id, label, keyPrefix }) => ({ value: String(id), label, about: `${keyPrefix}…` })),
            }
          }}
          onPick={({ value }) => onChange([...ids, Number(value)])}
          error={error}
        />
      )}
    </div>
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
  if (ids.length === 0) return null
  const rows = ids.map((id) => {
    const key = data?.find((each) => each.id === id)
    const name = key?.label ?? t('Key {id}', { id })
    return (
      <li key={id} className="flex items-center gap-2 px-4 py-1.5 text-sm">
        <span className="min-w-0 grow truncate">
          {name}
          <span className="ml-2 text-xs text-ink-3">{key ? `${key.keyPrefix}…` : data && t('was deleted')}</span>
          {key && !key.active && <span className="ml-2 text-xs text-warn">{t('no longer works')}</span>}
        </span>
        {onTake && (
          <IconButton label={t('Remove {name}', { name })} size="sm" onClick={() => onTake(id)}>
            <X />
          </IconButton>
        )}
      </li>
    )
  })
  return <ul className="card divide-y divide-line">{rows}</ul>
}

/** Keys known by hash only. */
export function OtherKeys({ count, onTake }: { readonly count: number; readonly onTake: (() => void) | undefined }) {
  return (
    <p className="card flex items-center gap-2 px-4 py-1.5 text-sm">
      <span className="min-w-0 grow">
        {formatCount(count)} {count === 1 ? t('other key') : t('other keys')}
        <span className="ml-2 text-xs text-ink-3">
          {t('given by value; only a hash is known, so removal is not undone')}
        </span>
      </span>
      {onTake && (
        <Button size="sm" look="quiet-danger" onClick={onTake}>
          {t('Remove')}
        </Button>
      )}
    </p>
  )
}
