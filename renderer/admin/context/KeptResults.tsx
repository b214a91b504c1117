// Kept results: which there are, and with a handle a look into one and its rows as a file.

import { useQuery } from '@tanstack/react-query'
import { Archive } from 'lucide-react'
import { useState } from 'react'
import { EXPORT_FORMATS, type KeptResult } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { formatBytes } from '../../ui/format.ts'
import { JsonView } from '../../ui/JsonView.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { submitting } from '../../ui/submitting.ts'
import { type Column, queried, Table } from '../../ui/Table.tsx'
import { useBusy } from '../../ui/use-busy.ts'
import { ToolName } from './ToolName.tsx'

const FORMATS = { csv: t('CSV'), ndjson: t('NDJSON'), parquet: t('Parquet') } as const

const COLUMNS: readonly Column<KeptResult>[] = [
  {
    key: 'caller',
    title: t('Caller'),
    grow: true,
    sortBy: ({ principal }) => principal,
    cell: ({ principal, session }) => (
      <span className="flex min-w-0 items-baseline gap-2">
        <span className="truncate font-medium">{principal}</span>
        {session && (
          <span className="truncate text-xs text-ink-3">{t('session {hash}', { hash: session.slice(0, 8) })}</span>
        )}
      </span>
    ),
  },
  {
    key: 'tool',
    title: t('Tool'),
    width: 'w-64',
    sortBy: ({ client, tool }) => `${client ?? ''} ${tool ?? ''}`,
    cell: (result) => <ToolName {...result} />,
  },
  {
    key: 'bytes',
    title: t('Size'),
    width: 'w-28',
    align: 'right',
    sortBy: ({ bytes }) => bytes,
    cell: ({ bytes }) => formatBytes(bytes),
  },
  {
    key: 'expires',
    title: t('Expires'),
    width: 'w-32',
    sortBy: ({ expiresAt }) => expiresAt,
    cell: ({ expiresAt }) => <RelativeTime at={expiresAt} className="text-ink-2" />,
  },
]

export function KeptResults() {
  const list = useQuery({ queryKey: ['usage', 'results'], queryFn: () => api.keptResults.list() })
  return (
    <div className="flex h-full flex-col overflow-y-auto">
      <OpenResult />
      <Table
        className="min-h-48 shrink-0 grow"
        label={t('Kept results')}
        columns={COLUMNS}
        rows={list.data?.items ?? []}
        rowKey={(result) => JSON.stringify(result)}
        {...queried(list)}
        empty={
          <EmptyState
            icon={Archive}
            title={t('No kept results')}
            about={t('Tools with the context budget “Keep here” keep large answers for a while.')}
          />
        }
      />
    </div>
  )
}

type OpenBody = { readonly handle: string; readonly offset?: number | undefined } & ReturnType<typeof placeOf>
type Page = { readonly asked: OpenBody; readonly found: unknown; readonly next: number | undefined }

/** A JSONPath begins with "$", and a statement with its first word. */
const placeOf = (question: string): { readonly path?: string; readonly jsonpath?: string; readonly sql?: string } =>
  question.startsWith('$')
    ? { jsonpath: question }
    : /^select\s/i.test(question)
      ? { sql: question }
      : { path: question }

const nextOf = (found: unknown): number | undefined =>
  typeof found === 'object' && found !== null && 'next' in found && typeof found.next === 'number'
    ? found.next
    : undefined

/** Only the handle decrypts a result, so it is asked for. */
function OpenResult() {
  const [handle, setHandle] = useState('')
  const [question, setQuestion] = useState('')
  const [page, setPage] = useState<Page>()
  const [problem, setProblem] = useState<unknown>()
  const [busy, during] = useBusy()
  const body = { handle: handle.trim(), ...placeOf(question.trim()) }
  const open = async (asked: OpenBody) => {
    setProblem(undefined)
    try {
      const { text } = await api.keptResults.open({ body: asked })
      const found: unknown = JSON.parse(text)
      setPage({ asked, found, next: nextOf(found) })
    } catch (error) {
      // No answer of another question stays beside it.
      setPage(undefined)
      setProblem(error)
    }
  }
  const save = async (format: (typeof EXPORT_FORMATS)[number]) => {
    const { name, type, base64 } = await api.keptResults.export({ body: { ...body, format } })
    saveFile(name, type, new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))]))
  }
  return (
    <form
      className="flex flex-col gap-3 border-b border-line px-6 py-3"
      onSubmit={submitting(() => during(open(body)))}
    >
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-72">
          <Field
            label={t('Handle')}
            value={handle}
            placeholder={t('result:…')}
            className="font-mono"
            spellCheck={false}
            onChange={(event) => setHandle(event.target.value)}
          />
        </div>
        <div className="w-96 max-w-full grow">
          <Field
            label={t('Path, JSONPath or SQL (optional)')}
            value={question}
            placeholder={t('SELECT owner, count(*) AS n FROM items GROUP BY owner')}
            className="font-mono"
            spellCheck={false}
            onChange={(event) => setQuestion(event.target.value)}
          />
        </div>
      </div>
      <div className="flex flex-wrap gap-3">
        <Button type="submit" look="strong" disabled={busy || handle === ''}>
          {t('Open result')}
        </Button>
        {EXPORT_FORMATS.map((format) => (
          <Button key={format} disabled={busy || handle === ''} onClick={() => during(save(format))}>
            {t('Save as {format}', { format: FORMATS[format] })}
          </Button>
        ))}
      </div>
      {problem !== undefined && <ErrorNote error={problem} />}
      {page !== undefined && (
        <div className="max-h-72 overflow-y-auto">
          <JsonView value={page.found} label={t('Result')} />
        </div>
      )}
      {page?.next !== undefined && (
        <div>
          <Button disabled={busy} onClick={() => during(open({ ...page.asked, offset: page.next }))}>
            {t('Next rows')}
          </Button>
        </div>
      )}
    </form>
  )
}
