// Finds a backend by name; optionally lists "Every backend" first, which means no selection.
import { findBackends } from '../../api/find.ts'
import { t } from '../../language/language.ts'
import { Finder } from '../../ui/Finder.tsx'

const EVERY = { value: '', label: t('Every backend') }

export function FindBackend({
  name,
  every = false,
  onPick,
  ...look
}: {
  /** Empty if none, or every backend, is chosen. */
  readonly name: string
  readonly every?: boolean
  readonly onPick: (name: string) => void
  readonly label: string
  readonly hideLabel?: boolean
  readonly className?: string
  readonly error?: string | undefined
}) {
  return (
    <Finder
      {...look}
      value={name !== '' ? { value: name, label: name } : every ? EVERY : null}
      placeholder={every ? EVERY.label : t('Choose a backend')}
      none={t('No backends yet.')}
      queryKey={['clients']}
      find={async (q) => {
        const { items, more } = await findBackends(q)
        const found = items.map((each) => ({ value: each.name, label: each.name }))
        return { more, items: every && q === '' ? [EVERY, ...found] : found }
      }}
      onPick={({ value }) => onPick(value)}
    />
  )
}
