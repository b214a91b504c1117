// The preview of a policy by tool: before and after, and unchanged tools.
import { ArrowRight, FlaskConical } from 'lucide-react'
import { useState } from 'react'
import type { PolicyApplied } from '#contract'
import { plural, t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { IconButton } from '../../ui/Button.tsx'
import { actionColumn, Named } from '../../ui/columns.tsx'
import { formatCount } from '../../ui/format.ts'
import { type Column, Table } from '../../ui/Table.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { type Drafted, TryDraft } from '../tools/run/TryDraft.tsx'
import { rateInWords, timeInWords } from './limits.ts'

type Change = PolicyApplied['changes'][number]

function Move({ before, after }: { readonly before: string; readonly after: string }) {
  if (before === after) return <span className="text-ink-3">{after}</span>
  return (
    <span className="flex items-center gap-1.5 whitespace-nowrap">
      <s className="text-ink-3">{before}</s>
      <ArrowRight aria-label={t('becomes')} className="size-3.5 shrink-0 text-ink-3" />
      <strong className="font-medium">{after}</strong>
    </span>
  )
}

const columnsFor = (onTry: (change: Change) => void): readonly Column<Change>[] => [
  {
    key: 'tool',
    title: t('Tool'),
    grow: true,
    sortBy: ({ client, tool }) => `${client}__${tool}`,
    cell: ({ client, tool }) => <Named name={<code className="font-mono text-xs">{tool}</code>} about={client} />,
  },
  {
    key: 'rate',
    title: t('Calls per minute'),
    width: 'w-60',
    cell: ({ before, after }) => (
      <Move before={rateInWords(before.rateLimitPerMin)} after={rateInWords(after.rateLimitPerMin)} />
    ),
  },
  {
    key: 'time',
    title: t('Timeout per attempt'),
    width: 'w-60',
    cell: ({ before, after }) => <Move before={timeInWords(before.timeoutMs)} after={timeInWords(after.timeoutMs)} />,
  },
  actionColumn('w-14', (change) => (
    <Tooltip text={t('Try a call with these limits')}>
      <IconButton
        label={t('Try a call of {tool} with these limits', { tool: change.tool })}
        size="sm"
        className="-my-1.5"
        onClick={() => onTry(change)}
      >
        <FlaskConical />
      </IconButton>
    </Tooltip>
  )),
]

const REASONS: Readonly<Record<PolicyApplied['skipped'][number]['reason'], string>> = {
  not_found: t('tool not found'),
  composite: t('composites have no limits; their steps do'),
  unchanged: t('no change needed'),
}

const countInWords = (count: number): string =>
  count === 1 ? t('one tool') : t('{count} tools', { count: formatCount(count) })

export function PolicyPreview({ found: { changes, skipped } }: { readonly found: PolicyApplied }) {
  const [trying, setTrying] = useState<Drafted | null>(null)
  const columns = columnsFor(({ client, tool, after: { rateLimitPerMin, timeoutMs } }) =>
    setTrying({ client, tool, draft: { guards: { rateLimitPerMin, timeoutMs } } }),
  )
  return (
    <>
      {changes.length > 0 && (
        <p className="px-6 py-2.5 text-sm">
          {rich('This policy changes {name}:', {
            name: <strong className="font-medium">{countInWords(changes.length)}</strong>,
          })}
        </p>
      )}
      <Table
        className="max-h-96"
        label={t('Preview')}
        columns={columns}
        rows={changes}
        rowKey={({ client, tool }) => `${client}__${tool}`}
        empty={<p className="px-5 py-6 text-center text-sm text-ink-2">{t('No changes.')}</p>}
      />
      {skipped.length > 0 && (
        <details className="border-t border-line px-6 py-2.5 text-sm">
          <summary className="rounded text-ink-2">
            {plural(skipped.length, '{count} stays as it is', '{count} stay as they are')}
          </summary>
          <ul className="mt-2 flex max-h-48 flex-col gap-1 overflow-y-auto text-xs">
            {skipped.map(({ tool, reason }) => (
              <li key={tool} className="flex min-w-0 items-center gap-2">
                <code className="truncate font-mono">{tool}</code>
                <Badge>{REASONS[reason]}</Badge>
              </li>
            ))}
          </ul>
        </details>
      )}
      <TryDraft drafted={trying} onClose={() => setTrying(null)} />
    </>
  )
}
