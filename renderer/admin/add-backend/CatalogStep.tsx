// The catalog: templates of known services, installed with a name and, if required, a credential.
import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Download, LayoutGrid } from 'lucide-react'
import { useMemo, useState } from 'react'
import { API, type CatalogEntry, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { RecordForm } from '../../ui/form/RecordForm.tsx'
import { formatTools } from '../../ui/format.ts'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { KIND_NAMES } from '../backends/BackendState.tsx'
import { type CredentialDraft, CredentialFields, draftOf, inputOf } from '../backends/CredentialFields.tsx'
import { useBackendChanges } from '../backends/use-backend-changes.ts'

export function CatalogStep({ onBack }: { readonly onBack: () => void }) {
  const [q, setQ] = useState('')
  const [chosen, setChosen] = useState<CatalogEntry | null>(null)
  const list = useQuery({ queryKey: ['catalog'], queryFn: () => api.catalog.list({ query: { limit: '200' } }) })
  const entries = (list.data?.items ?? []).filter((entry) =>
    `${entry.name} ${entry.description ?? ''} ${entry.category ?? ''}`.toLowerCase().includes(q.toLowerCase()),
  )
  return (
    <div className="flex flex-col gap-4">
      <div className="flex gap-2">
        <Button onClick={onBack}>
          <ArrowLeft />
          {t('Other source')}
        </Button>
        <SearchInput label={t('Find a template')} placeholder={t('Name or category')} value={q} onChange={setQ} />
      </div>
      {list.error && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton className="h-40 rounded-lg" />}
      {list.data && entries.length === 0 && (
        <EmptyState icon={LayoutGrid} title={t('No template')} about={t('No template matches this search.')} />
      )}
      <ul className="grid grid-cols-2 gap-4">
        {entries.map((entry) => (
          <li key={entry.id} className="card flex items-start gap-4 px-5 py-4">
            <div className="min-w-0 grow">
              <p className="flex flex-wrap items-center gap-2 text-sm font-semibold">
                {entry.name}
                <Badge tone="outline">{KIND_NAMES[entry.kind]}</Badge>
                {entry.installed.length > 0 && <Badge tone="ok">{t('added')}</Badge>}
                {entry.source === 'custom' && <Badge>{t('custom')}</Badge>}
              </p>
              <p className="mt-0.5 text-xs text-ink-2">{entry.description}</p>
            </div>
            <Button size="sm" onClick={() => setChosen(entry)}>
              <Download />
              {t('Add')}
            </Button>
          </li>
        ))}
      </ul>
      <Dialog
        open={chosen !== null}
        onClose={() => setChosen(null)}
        title={t('Add {value}', { value: chosen?.name ?? '' })}
        about={chosen?.description}
      >
        {chosen && <Form entry={chosen} onClose={() => setChosen(null)} />}
      </Dialog>
    </div>
  )
}

/** The value from `read`, edited by the control. */
const asCredential = (value: unknown) => value as CredentialDraft // the draft of that one field

function installForm({ authHint }: CatalogEntry, administers: boolean) {
  const known = authHint === 'bearer' || authHint === 'basic' || authHint === 'header'
  return formOf(API.catalog.install.body, {
    name: { label: t('Name'), code: true, needed: true },
    ...(administers && {
      upstreamAuth: {
        label: t('Credential'),
        read: () => draftOf(known ? authHint : 'none'),
        draw: ({ value, onChange }) => (
          <div className="flex flex-col gap-4">
            <CredentialFields draft={asCredential(value)} onChange={onChange} />
          </div>
        ),
        write: (value) => inputOf(asCredential(value)),
      },
    }),
  })
}

function Form({ entry, onClose }: { readonly entry: CatalogEntry; readonly onClose: () => void }) {
  const administers = mayUse(useActor(), 'admin')
  const lead = useLead()
  const { run } = useBackendChanges()
  const form = useMemo(() => installForm(entry, administers), [entry, administers])
  return (
    <RecordForm
      form={form}
      fresh={{ name: entry.slug }}
      submit={t('Add backend')}
      onSubmit={async (body) => {
        const { name } = await run(api.catalog.install({ params: { id: entry.id }, body }), (made) =>
          t('{name} is live with {count}', { name: made.name, count: formatTools(made.tools_count) }),
        )
        lead(`/backends/${name}`)
      }}
      onClose={onClose}
    />
  )
}
