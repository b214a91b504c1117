// Adds a backend in three steps: source, preview, selection of tools.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { DiscoveryPreview } from '#contract'
import { api } from '../../api/api.ts'
import { findBackends } from '../../api/find.ts'
import { t } from '../../language/language.ts'
import { formatTools } from '../../ui/format.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { type UrlParams, useUrlParams } from '../../url-params.ts'
import { draftOf, inputOf } from '../backends/CredentialFields.tsx'
import { useBackendChanges } from '../backends/use-backend-changes.ts'
import { CatalogStep } from './CatalogStep.tsx'
import { PreviewStep, type Wanted } from './PreviewStep.tsx'
import { SourcePicker } from './SourcePicker.tsx'
import { type Filled, SourceStep } from './SourceStep.tsx'
import { emptyDraft, nameFromTitle, SOURCES, type SourceRow, suggestedName } from './sources.ts'

export function AddBackendPage() {
  const [params, change] = useUrlParams()
  const source = SOURCES.find(({ key }) => key === params.source)
  const fromCatalog = params.source === 'catalog'
  return (
    <div className="max-w-5xl pb-10">
      <PageHeader
        title={t('Add a backend')}
        about={source?.title ?? (fromCatalog ? t('Choose a template') : t('Choose where its tools come from'))}
      />
      <div className="px-6">
        {source ? (
          <Steps
            key={`${source.key} ${params.url}`}
            source={source}
            given={givenBy(source, params)}
            onBack={() => change({ source: '', url: '', name: '' })}
          />
        ) : fromCatalog ? (
          <CatalogStep onBack={() => change({ source: '' })} />
        ) : (
          <SourcePicker onPick={(key) => change({ source: key })} />
        )}
      </div>
    </div>
  )
}

/** What is sent beside the registration itself. */
const besideOf = ({ credential, local: local_service }: Filled) => {
  const upstream_auth = inputOf(credential)
  return { ...(upstream_auth && { upstream_auth }), ...(local_service && { local_service }) }
}

/** Values from a link. The user still reviews and submits them. */
function givenBy(source: SourceRow, { url, name }: UrlParams): Filled | null {
  const [first] = source.fields
  if (!url || first?.kind !== 'url') return null
  const draft = { ...emptyDraft(source), [first.key]: url }
  return { name: name ?? '', draft, payload: {}, credential: draftOf('none') }
}

type Seen = { readonly filled: Filled; readonly found: DiscoveryPreview; readonly name: string }

async function previewOf(filled: Filled, name: string): Promise<DiscoveryPreview> {
  // The wire's own schema checks the payload; the form only collects it.
  const body = { ...filled.payload, ...besideOf(filled), ...(name ? { name } : {}) } as Parameters<
    typeof api.register.preview
  >[0]['body']
  return api.register.preview({ body })
}

/** Without a name the source suggests one; if it is registered already, the preview compares with that backend. */
async function seenAs(filled: Filled): Promise<Seen> {
  const found = await previewOf(filled, filled.name)
  const name = filled.name || nameFromTitle(found.title) || suggestedName(filled.draft)
  if (filled.name || !name) return { filled, found, name }
  const { items } = await findBackends(name)
  return { filled, name, found: items.some((known) => known.name === name) ? await previewOf(filled, name) : found }
}

function Steps({
  source,
  given,
  onBack,
}: {
  readonly source: SourceRow
  readonly given: Filled | null
  readonly onBack: () => void
}) {
  const lead = useLead()
  const { refresh } = useBackendChanges()
  const [seen, setSeen] = useState<Seen | null>(null)
  const [before, setBefore] = useState<Filled | null>(given)

  const look = useMutation({
    mutationFn: seenAs,
    onSuccess: setSeen,
  })

  const register = useMutation({
    mutationFn: async ({ filled, wanted }: { readonly filled: Filled; readonly wanted: Wanted }) => {
      const body = { ...filled.payload, ...besideOf(filled), name: wanted.name } as Parameters<
        typeof api.register.register
      >[0]['body']
      const made = await api.register.register({ body })
      const params = { name: made.name }
      if (wanted.off.length > 0)
        await api.tools.setEnabled({ params, body: { toolNames: [...wanted.off], enabled: false } }).catch(notifyError)
      return made
    },
    onSuccess: async ({ name, tools_count: count }) => {
      await refresh()
      notifyDone(t('{name} is live with {count}', { name, count: formatTools(count) }))
      lead(`/backends/${name}`)
    },
  })

  return seen ? (
    <PreviewStep
      found={seen.found}
      name={seen.name}
      busy={register.isPending}
      error={register.error}
      onBack={() => {
        setBefore(seen.filled)
        setSeen(null)
        register.reset()
      }}
      onRegister={(wanted) => register.mutate({ filled: seen.filled, wanted })}
    />
  ) : (
    <SourceStep
      source={source}
      before={before}
      busy={look.isPending}
      error={look.error}
      onBack={onBack}
      onLook={look.mutate}
    />
  )
}
