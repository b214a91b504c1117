// Acts with a key, or as the signed-in user.
import { findActiveKeys } from '../../api/find.ts'
import { t } from '../../language/language.ts'
import { Finder } from '../../ui/Finder.tsx'
import type { Option } from '../../ui/Select.tsx'

const SELF: Option<string> = { value: '', label: t('Yourself') }

export type ChosenKey = { readonly id: number; readonly label: string }

export function PickKey({
  label,
  chosen,
  onPick,
}: {
  readonly label: string
  readonly chosen: ChosenKey | null
  readonly onPick: (key: ChosenKey | null) => void
}) {
  return (
    <Finder
      label={label}
      value={chosen ? { value: String(chosen.id), label: chosen.label } : SELF}
      placeholder={t('Yourself')}
      none={t('No active keys.')}
      queryKey={['keys']}
      find={async (q) => {
        const { items, more } = await findActiveKeys(q)
        const keys = items.map(({ id, label: name, keyPrefix }) => ({
          value: String(id),
          label: name,
          about: `${keyPrefix}…`,
        }))
        return { more, items: [...(q === '' ? [SELF] : []), ...keys] }
      }}
      onPick={({ value, label: name }) => onPick(value === '' ? null : { id: Number(value), label: name })}
    />
  )
}
