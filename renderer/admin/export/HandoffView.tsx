// Export to a server: transferable records, required values, excluded ones, and the download.

import { useQuery } from '@tanstack/react-query'
import { Download, FolderDown, RotateCw } from 'lucide-react'
import { useMemo, useState } from 'react'
import {
  type ConfigDoc,
  type HandoffFacts,
  type HandoffFile,
  type HandoffItem,
  handoff,
  parseConfig,
  zipOf,
} from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { saveFile } from '../../ui/save-file.ts'

type Exported = {
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
const useExported = () => useQuery({ queryKey: ['config-export'], queryFn: read, staleTime: Number.POSITIVE_INFINITY })

const FIRST = 'gantry.yaml'
/** Truncates the preview; the file is complete. */
const MOST_SHOWN = 20_000

function FilePreview({ files }: { readonly files: readonly HandoffFile[] }) {
  const [wanted, setWanted] = useState(FIRST)
  const file = files.find(({ path }) => path === wanted) ?? files[0]
  if (!file) return null
  const cut = file.text.length > MOST_SHOWN
  return (
    <div className="flex min-w-0 flex-col gap-3 p-4">
      <div className="flex items-end gap-2">
        <Select
          label={t('File')}
          hideLabel
          value={file.path}
          options={files.map(({ path }) => ({ value: path, label: path }))}
          onChange={setWanted}
          className="w-56"
        />
        <Button look="quiet" onClick={() => saveFile(file.path, 'text/plain', file.text)}>
          <Download />
          {t('This file')}
        </Button>
      </div>
      <div className="max-h-[60vh] overflow-y-auto">
        <CodeBlock label={file.path} text={cut ? file.text.slice(0, MOST_SHOWN) : file.text} />
      </div>
      {cut && <p className="text-xs text-ink-3">{t('Only the beginning is shown.')}</p>}
    </div>
  )
}

const VERDICTS: readonly {
  verdict: HandoffItem['verdict']
  title: string
  tone: Tone
  about: string
}[] = [
  {
    verdict: 'portable',
    title: t('Transfers unchanged'),
    tone: 'ok',
    about: t('No action needed on the server.'),
  },
  {
    verdict: 'needs_value',
    title: t('Needs a value'),
    tone: 'warn',
    about: t('Secrets are not exported: the server reads them from its environment.'),
  },
  {
    verdict: 'cannot_move',
    title: t('Not exportable'),
    tone: 'neutral',
    about: t('Not included in the folder.'),
  },
]

const NOUNS = { clients: t('Backend'), bundles: t('Bundle'), composites: t('Composite'), editors: t('Editor') } as const
const FOLDER = 'gantry-config'
const archiveOf = (files: readonly HandoffFile[]): Blob =>
  new Blob([zipOf(files.map(({ path, text }) => ({ path: `${FOLDER}/${path}`, text })))])

export function HandoffView() {
  const exported = useExported()
  if (exported.error) return <ErrorState error={exported.error} onRetry={() => void exported.refetch()} />
  if (!exported.data)
    return (
      <div className="space-y-3 p-6" aria-busy>
        <Skeleton className="h-5 w-1/3" />
        <Skeleton className="h-40 w-full" />
      </div>
    )
  return <Wizard exported={exported.data} onReload={() => void exported.refetch()} busy={exported.isFetching} />
}

function Wizard({
  exported: { doc, facts, version, stringify },
  onReload,
  busy,
}: {
  readonly exported: Exported
  readonly onReload: () => void
  readonly busy: boolean
}) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [sameMachine, setSameMachine] = useState(false)
  const { items, files } = useMemo(
    () => handoff(doc, facts, { left, sameMachine, version, stringify }),
    [doc, facts, left, sameMachine, version, stringify],
  )
  // Editors are not exported, so one alone gives no export.
  if (items.every(({ section }) => section === 'editors'))
    return (
      <EmptyState
        icon={FolderDown}
        title={t('Nothing to export yet')}
        about={t('Add a backend first. The export contains your configuration.')}
      />
    )
  const tick = (id: string, on: boolean) => {
    const next = new Set(left)
    if (on) next.delete(id)
    else next.add(id)
    setLeft(next)
  }
  return (
    <div className="grid gap-5 p-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <div className="flex flex-wrap items-center gap-3">
          <Checkbox label={t('The server runs on this machine')} checked={sameMachine} onChange={setSameMachine} />
          <span className="grow" />
          <Button look="quiet" size="sm" busy={busy} onClick={onReload}>
            <RotateCw />
            {t('Refresh')}
          </Button>
        </div>
        {VERDICTS.map((group) => (
          <Group
            key={group.verdict}
            {...group}
            items={items.filter(({ verdict }) => verdict === group.verdict)}
            left={left}
            onTick={tick}
          />
        ))}
        <p className="text-xs text-ink-3">
          {t('Users, keys, install links, sessions and call data are not exported. Create keys on the server.')}
        </p>
      </div>
      <section aria-label={t('The folder')} className="card flex min-w-0 flex-col self-start">
        <header className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-3">
          <div className="grow">
            <h2 className="text-sm font-semibold">{t('The folder')}</h2>
            <p className="mt-0.5 text-xs text-ink-2">{t('Ready for git: contains no secrets.')}</p>
          </div>
          <Button look="strong" onClick={() => saveFile(`${FOLDER}.zip`, 'application/zip', archiveOf(files))}>
            <FolderDown />
            {t('Download')}
          </Button>
        </header>
        <FilePreview files={files} />
      </section>
    </div>
  )
}

function Group({
  verdict,
  title,
  tone,
  about,
  items,
  left,
  onTick,
}: (typeof VERDICTS)[number] & {
  readonly items: readonly HandoffItem[]
  readonly left: ReadonlySet<string>
  readonly onTick: (id: string, on: boolean) => void
}) {
  if (items.length === 0) return null
  return (
    <section aria-label={title} className="card min-w-0">
      <header className="flex items-center gap-2 border-b border-line px-4 py-2.5">
        <h2 className="text-sm font-semibold whitespace-nowrap">{title}</h2>
        <Badge tone={tone}>{items.length}</Badge>
        <span className="grow text-right text-xs text-ink-3">{about}</span>
      </header>
      <ul className="divide-y divide-line">
        {items.map(({ section, name, why }) => {
          const id = `${section}/${name}`
          const ticked = verdict !== 'cannot_move' && !left.has(id)
          return (
            <li key={id} className="flex items-start gap-3 px-4 py-2">
              <span className="mt-0.5">
                <Checkbox
                  hideLabel
                  label={t('Include {name}', { name })}
                  checked={ticked}
                  disabled={verdict === 'cannot_move'}
                  onChange={(on) => onTick(id, on)}
                />
              </span>
              <div className="min-w-0 grow">
                <p className="flex items-baseline gap-2 text-sm">
                  <span className="truncate font-medium">{name}</span>
                  <span className="text-xs text-ink-3">{NOUNS[section]}</span>
                </p>
                {why.map((reason) => (
                  <p key={reason} className="mt-0.5 text-xs break-words text-ink-2">
                    {reason}
                  </p>
                ))}
              </div>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
