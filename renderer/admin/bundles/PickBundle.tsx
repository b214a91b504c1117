// Selects a bundle.
import type { BundleSummary } from '#contract'
import { findBundles } from '../../api/find.ts'
import { t } from '../../language/language.ts'
import { Finder } from '../../ui/Finder.tsx'
import { formatTools } from '../../ui/format.ts'
import type { Option } from '../../ui/Select.tsx'

const optionOf = ({ name, toolsCount, enabled }: BundleSummary): Option<string> => ({
  value: name,
  label: name,
  about: enabled ? formatTools(toolsCount) : t('{tools}, disabled', { tools: formatTools(toolsCount) }),
})

export function PickBundle({
  label = t('Bundle'),
  name,
  without,
  onPick,
}: {
  readonly label?: string
  readonly name: string
  /** The label for no selection, if permitted. */
  readonly without?: string
  readonly onPick: (name: string) => void
}) {
  const neither: readonly Option<string>[] = without === undefined ? [] : [{ value: '', label: without }]
  return (
    <Finder
      label={label}
      value={name ? { value: name, label: name } : (neither[0] ?? null)}
      placeholder={t('Choose one')}
      none={t('No bundles yet.')}
      queryKey={['bundles']}
      find={async (q) => {
        const { items, more } = await findBundles(q)
        return { more, items: [...(q === '' ? neither : []), ...items.map(optionOf)] }
      }}
      onPick={({ value }) => onPick(value)}
    />
  )
}
