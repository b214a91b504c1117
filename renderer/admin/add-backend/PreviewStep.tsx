// The preview of a source: tools with their cost, skipped operations, conflicts.

import { ArrowLeft, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { DiscoveryPreview } from '#contract'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { TOOL_NAME } from '../../ui/columns.tsx'
import { cx } from '../../ui/cx.ts'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { fieldProblem } from '../../ui/fault.ts'
import { formatBytes, formatCount, formatTools } from '../../ui/format.ts'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { tickColumn } from '../../ui/selection.tsx'
import { submitting } from '../../ui/submitting.ts'
import { type Column, Table } from '../../ui/Table.tsx'
import { Diff } from '../backends/Diff.tsx'

export type Wanted = { readonly name: string; readonly off: readonly string[] }
type Tool = DiscoveryPreview['tools'][number]

const COLUMNS: readonly Column<Tool>[] = [
  {
    key: 'name',
    title: t('Tool'),
    sortBy: ({ name }) => name,
    cell: ({ name }) => <code className={cx(TOOL_NAME, 'font-medium')}>{name}</code>,
  },
  {
    key: 'method',
    title: t('Method'),
    width: 'w-24',
    sortBy: ({ method }) => method ?? '',
    cell: ({ method }) => <Badge className="font-mono">{method ?? '–'}</Badge>,
  },
  {
    key: 'tokens',
    title: t('Tokens'),
    width: 'w-24',
    align: 'right',
    sortBy: ({ estTokens }) => estTokens,
    cell: ({ estTokens }) => (
      <span className={estTokens > 1000 ? 'text-warn' : 'text-ink-2'}>{formatCount(estTokens)}</span>
    ),
  },
  {
    key: 'about',
    title: t('Description'),
    grow: true,
    cell: ({ description, lint }) => (
      <span className="flex min-w-0 items-center gap-2">
        {lint.length > 0 && (
          <span title={lint.join('\n')}>
            <TriangleAlert aria-label={lint.join('; ')} className="size-3.5 shrink-0 text-warn" />
          </span>
        )}
        <span className="truncate text-ink-2">{description}</span>
      </span>
    ),
  },
]

export function PreviewStep({
  found,
  name: given,
  busy,
  error,
  onBack,
  onRegister,
}: {
  readonly found: DiscoveryPreview
  readonly name: string
  readonly busy: boolean
  readonly error: unknown
  readonly onBack: () => void
  readonly onRegister: (wanted: Wanted) => void
}) {
  const [name, setName] = useState(given)
  const [off, setOff] = useState<ReadonlySet<string>>(new Set())
  const wanted = found.tools.filter((tool) => !off.has(tool.name))
  return (
    <form className="flex flex-col gap-4" onSubmit={submitting(() => onRegister({ name, off: [...off] }))}>
      <Summary found={found} used={wanted} />
      {found.diff && (
        <section aria-label={t('Changes to the registered backend')} className="card px-5 py-4">
          <h2 className="mb-2 text-sm font-semibold">
            {t('This name is already registered. Adding it makes these changes')}
          </h2>
          <Diff diff={found.diff} />
        </section>
      )}
      <ToolsFound found={found} off={off} onOff={setOff} />
      <div className="max-w-md">
        <Field
          label={t('Name')}
          value={name}
          required
          spellCheck={false}
          onChange={(event) => setName(event.target.value.trim())}
          error={fieldProblem(error, 'name')}
          hint={t('Served at /mcp/{name}', { name: name || '…' })}
        />
      </div>
      {error !== null && error !== undefined && <ErrorNote error={error} />}
      <div className="flex gap-2">
        <Button onClick={onBack}>
          <ArrowLeft />
          {t('Back')}
        </Button>
        <Button type="submit" look="strong" busy={busy} disabled={name === ''}>
          {t('Add {value}', {
            value:
              wanted.length === found.count
                ? t('with {count}', { count: formatTools(found.count) })
                : t('with {count} of {count2}', { count: wanted.length, count2: formatTools(found.count) }),
          })}
        </Button>
      </div>
    </form>
  )
}

function ToolsFound({
  found,
  off,
  onOff,
}: {
  readonly found: DiscoveryPreview
  /** The names of excluded tools. */
  readonly off: ReadonlySet<string>
  readonly onOff: (off: ReadonlySet<string>) => void
}) {
  const [q, setQ] = useState('')
  const shown = found.tools.filter((tool) => `${tool.name} ${tool.description}`.toLowerCase().includes(q.toLowerCase()))
  const used = found.tools.flatMap(({ name }) => (off.has(name) ? [] : [name]))
  const use = (names: ReadonlySet<string>): void =>
    onOff(new Set(found.tools.flatMap(({ name }) => (names.has(name) ? [] : [name]))))
  const columns = [tickColumn(shown, ({ name }) => name, new Set(used), use), ...COLUMNS]
  return (
    <section aria-label={t('Tools found')} className="card overflow-hidden">
      <div className="flex items-center gap-3 border-b border-line px-5 py-2.5">
        <SearchInput label={t('Find a tool')} placeholder={t('Name or description')} value={q} onChange={setQ} />
        <span className="text-xs text-ink-2">{t('{count} selected', { count: used.length })}</span>
      </div>
      <Table
        className="max-h-[46vh]"
        label={t('Tools found')}
        columns={columns}
        rows={shown}
        rowKey={(tool) => tool.name}
        empty={<p className="px-6 py-8 text-center text-sm text-ink-2">{t('No tool matches.')}</p>}
      />
    </section>
  )
}

function Summary({ found, used }: { readonly found: DiscoveryPreview; readonly used: readonly Tool[] }) {
  const tokens = used.reduce((sum, { estTokens }) => sum + estTokens, 0)
  const bytes = used.reduce((sum, { schemaBytes }) => sum + schemaBytes, 0)
  return (
    <section aria-label={t('Summary')} className="card flex flex-wrap items-start gap-x-10 gap-y-3 px-5 py-4">
      <Figure value={formatCount(used.length)} name={t('tools to use')} />
      <Figure value={formatCount(tokens)} name={t('tokens to list them')} />
      <Figure value={formatBytes(bytes)} name={t('of input schemas')} />
      {found.skipped.length > 0 && <Figure value={formatCount(found.skipped.length)} name={t('operations skipped')} />}
      <div className="w-full text-xs empty:hidden">
        {found.warnings.map((warning) => (
          <p key={warning} className="flex gap-2 py-0.5 text-warn">
            <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            {warning}
          </p>
        ))}
        {found.skipped.length > 0 && (
          <details className="mt-1">
            <summary className="rounded text-ink-2">{t('Skipped operations, with reasons')}</summary>
            <ul className="mt-1 max-h-40 overflow-y-auto text-ink-2">
              {found.skipped.map(({ operation, reason }) => (
                <li key={operation}>
                  <code className="font-mono">{operation}</code> {reason}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </section>
  )
}

function Figure({ value, name }: { readonly value: string; readonly name: string }) {
  return (
    <p>
      <span className="block text-2xl font-semibold tracking-[-0.02em]">{value}</span>
      <span className="text-xs text-ink-3">{name}</span>
    </p>
  )
}
