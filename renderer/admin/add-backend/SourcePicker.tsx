// The choice of a source: one card per kind, and the catalog.
import { LayoutGrid, type LucideIcon } from 'lucide-react'
import { t } from '../../language/language.ts'
import { SOURCES } from './sources.ts'

const CATALOG = {
  key: 'catalog',
  title: t('From the catalog'),
  about: t('Templates for known services, and your own'),
  icon: LayoutGrid,
}

export function SourcePicker({ onPick }: { readonly onPick: (key: string) => void }) {
  return (
    <ul className="grid grid-cols-2 gap-4 xl:grid-cols-3">
      {[...SOURCES, CATALOG].map((row) => (
        <li key={row.key}>
          <Choice {...row} onPick={() => onPick(row.key)} />
        </li>
      ))}
    </ul>
  )
}

function Choice({
  title,
  about,
  icon: Icon,
  onPick,
}: {
  readonly title: string
  readonly about: string
  readonly icon: LucideIcon
  readonly onPick: () => void
}) {
  return (
    <button
      type="button"
      onClick={onPick}
      className="card flex h-full w-full items-start gap-3.5 px-5 py-4 text-left hover:border-line-strong hover:bg-hover"
    >
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-ink-3" />
      <span>
        <span className="block text-sm font-semibold">{title}</span>
        <span className="mt-0.5 block text-xs text-ink-2">{about}</span>
      </span>
    </button>
  )
}
