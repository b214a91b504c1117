// The configuration and additional data for the export wizard.
import { useQuery } from '@tanstack/react-query'
import { type ConfigDoc, type HandoffFacts, parseConfig } from '#contract'
import { api } from '../../api/api.ts'

export type Exported = {
  readonly doc: ConfigDoc
  readonly facts: HandoffFacts
  readonly version: string
  readonly stringify: (value: unknown) => string
}

async function read(): Promise<Exported> {
  const text = await api.configDocuments.export({ query: { format: 'json' } })
  const { doc } = parseConfig(JSON.parse(text))
  const sealed = (doc.clients ?? []).filter(({ upstreamAuth }) => upstreamAuth)
  const auth = await Promise.all(
    sealed.map(async ({ name }) => [name, await api.clients.getUpstreamAuth({ params: { name } })] as const),
  )
  const { items: editors } = await api.clients.list({ query: { kind: 'pcg', limit: '200' } })
  const { version } = await api.overview.get()
  // A separate chunk: no other page writes YAML.
  const yaml = await import('yaml')
  return {
    doc,
    facts: { auth: new Map(auth), editors: editors.map(({ name }) => name) },
    version,
    stringify: (value) => yaml.stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }),
  }
}

/** Read once per visit: every read is an audited export. */
export const useExported = () =>
  useQuery({ queryKey: ['config-export'], queryFn: read, staleTime: Number.POSITIVE_INFINITY })
