// The catalog: templates of known services, installed with a name and, where one is wanted, a credential.
import { useMutation, useQuery } from '@tanstack/react-query'
import { ArrowLeft, Download, LayoutGrid } from 'lucide-react'
import { useState } from 'react'
import { type CatalogEntry, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { fieldProblem } from '../../ui/fault.ts'
import { DialogForm } from '../../ui/form/DialogForm.tsx'
import { formatTools } from '../../ui/format.ts'
import { notifyDone } from '../../ui/notify.ts'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { KIND_NAMES } from '../backends/BackendState.tsx'
import { CredentialFields, draftOf, inputOf } from '../backends/CredentialFields.tsx'
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
          Other source
        </Button>
        <SearchInput label="Find a template" placeholder="Name or category" value={q} onChange={setQ} />
      </div>
      {list.error && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton className="h-40 rounded-lg" />}
      {list.data && entries.length === 0 && (
        <EmptyState icon={LayoutGrid} title="No template" about="None here goes by that name." />
      )}
      <ul className="grid grid-cols-2 gap-4">
        {entries.map((entry) => (
          <li key={entry.id} className="card flex items-start gap-4 px-5 py-4">
            <div className="min-w-0 grow">
              <p className="flex flex-wrap items-center gap-2 text-sm font-semibold">
                {entry.name}
                <Badge tone="outline">{KIND_NAMES[entry.kind]}</Badge>
                {entry.installed.length > 0 && <Badge tone="ok">added</Badge>}
                {entry.source === 'custom' && <Badge>custom</Badge>}
              </p>
              <p className="mt-0.5 text-xs text-ink-2">{entry.description}</p>
            </div>
            <Button size="sm" onClick={() => setChosen(entry)}>
              <Download />
              Add
            </Button>
          </li>
        ))}
      </ul>
      <Dialog
        open={chosen !== null}
        onClose={() => setChosen(null)}
        title={`Add ${chosen?.name ?? ''}`}
        about={chosen?.description}
      >
        {chosen && <Form entry={chosen} onClose={() => setChosen(null)} />}
      </Dialog>
    </div>
  )
}

function Form({ entry, onClose }: { readonly entry: CatalogEntry; readonly onClose: () => void }) {
  const actor = useActor()
  const lead = useLead()
  const { refresh } = useBackendChanges()
  const [name, setName] = useState(entry.slug)
  const { authHint } = entry
  const [credential, setCredential] = useState(
    draftOf(authHint === 'bearer' || authHint === 'basic' || authHint === 'header' ? authHint : 'none'),
  )
  const install = useMutation({
    mutationFn: () => {
      const upstreamAuth = inputOf(credential)
      return api.catalog.install({
        params: { id: entry.id },
        body: { name, ...(upstreamAuth ? { upstreamAuth } : {}) },
      })
    },
    onSuccess: async (made) => {
      await refresh()
      notifyDone(`${made.name} is live with ${formatTools(made.tools_count)}`)
      lead(`/backends/${made.name}`)
    },
  })
  return (
    <DialogForm
      submit="Add backend"
      busy={install.isPending}
      error={install.error}
      onSubmit={install.mutate}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={name}
        required
        spellCheck={false}
        onChange={(event) => setName(event.target.value.trim())}
        error={fieldProblem(install.error, 'name')}
      />
      {mayUse(actor, 'admin') && <CredentialFields draft={credential} onChange={setCredential} />}
    </DialogForm>
  )
}
