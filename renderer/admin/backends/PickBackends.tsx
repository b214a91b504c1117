// Selects several backends: selected ones stay visible, others are searchable.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { findBackends } from '../../api/find.ts'
import { t } from '../../language/language.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/Field.tsx'
import { statusOf } from '../../ui/Finder.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'

export function PickBackends({
  names,
  onPick,
}: {
  readonly names: readonly string[]
  readonly onPick: (names: readonly string[]) => void
}) {
  const [typed, setTyped] = useState('')
  const q = useDebounced(typed.trim())
  const found = useQuery({
    queryKey: ['clients', 'pick', q],
    queryFn: () => findBackends(q),
    placeholderData: keepPreviousData,
  })
  const others = (found.data?.items ?? []).map(({ name }) => name).filter((name) => !names.includes(name))
  const status = statusOf({ q, none: t('No backends yet.'), error: found.error, matches: found.data })
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={t('Find a backend')}
        type="search"
        value={typed}
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
      <fieldset className="flex max-h-48 flex-col gap-2 overflow-y-auto rounded-md border border-line px-3 py-2.5">
        <legend className="sr-only">{t('Backends')}</legend>
        {[...names, ...others].map((name) => (
          <Checkbox
            key={name}
            label={name}
            checked={names.includes(name)}
            onChange={(checked) => onPick(checked ? [...names, name] : names.filter((other) => other !== name))}
          />
        ))}
        <p role="status" className="text-xs text-ink-3 empty:hidden">
          {status}
        </p>
      </fieldset>
    </div>
  )
}
