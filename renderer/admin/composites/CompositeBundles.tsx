// The bundles that contain a composite.
import { type BundleSummary, type CompositeDetail, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { findBundles } from '../../api/find.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { countColumn, nameColumn } from '../../ui/columns.tsx'
import { formatTools } from '../../ui/format.ts'
import { MemberList } from '../../ui/MemberList.tsx'
import { usePaged } from '../../ui/paged.tsx'
import type { Column } from '../../ui/Table.tsx'
import { useCompositeChanges } from './use-composite-changes.ts'

const COLUMNS: readonly Column<BundleSummary>[] = [
  nameColumn(t('Bundle'), ({ name }) => name),
  countColumn('tools', t('Tools'), ({ toolsCount }) => toolsCount),
  {
    key: 'path',
    title: t('Address'),
    width: 'w-72',
    cell: ({ mcpPath }) => <code className="block max-w-64 truncate font-mono text-xs text-ink-2">{mcpPath}</code>,
  },
]

export function CompositeBundles({ composite: { name, bundles } }: { readonly composite: CompositeDetail }) {
  const administers = mayUse(useActor(), 'admin')
  const { list: listIn } = useCompositeChanges()
  const list = usePaged(['bundles', 'of-composites'], (paging) => api.bundles.list({ query: paging }))
  return (
    <div className="max-w-5xl px-6 py-5">
      <MemberList
        title={t('Listed in')}
        about={t('Clients see it next to the bundle’s tools.')}
        list={list}
        mine={(bundle) => bundles.includes(bundle.name)}
        nameOf={(bundle) => bundle.name}
        columns={COLUMNS}
        empty={t('It is in no bundle, so it cannot be called.')}
        give={
          administers && {
            label: t('Add a bundle'),
            queryKey: ['bundles', 'without', name, String(bundles.length)],
            find: findBundles,
            aboutOf: (bundle) => formatTools(bundle.toolsCount),
            none: t('There is no other bundle.'),
            onAdd: (bundle) => listIn(bundle.name, name, true),
            onTake: (bundle) => ({
              title: t('Remove {name} from {name2}?', { name, name2: bundle.name }),
              about: t('Its clients can no longer see or call it.'),
              confirm: t('Remove'),
              run: () => listIn(bundle.name, name, false),
            }),
          }
        }
      />
    </div>
  )
}
