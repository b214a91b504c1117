// The bundle's tools/list as clients receive it, with its token cost.
import { useQuery } from '@tanstack/react-query'
import { Boxes } from 'lucide-react'
import { type BundleDetail, type BundlePreview as Preview, SEARCH_TOOL } from '#contract'
import { api } from '../../api/api.ts'
import { t, word } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { aboutColumn, countColumn, TOOL_NAME } from '../../ui/columns.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatCount, formatTools } from '../../ui/format.ts'
import { type Column, queried, Table } from '../../ui/Table.tsx'
import { ListForm } from './ListForm.tsx'

/** Above this, the list takes too much of the model's context. */
const TOKENS_BUDGET = 10_000

type Listed = Preview['tools'][number]
const COLUMNS: readonly Column<Listed>[] = [
  {
    key: 'name',
    title: t('Listed as'),
    sortBy: ({ name }) => name,
    cell: ({ name }) => <code className={cx(TOOL_NAME, 'font-medium')}>{name}</code>,
  },
  countColumn('tokens', t('Tokens'), ({ estTokens }) => estTokens),
  aboutColumn(({ description }) => description),
]

export function BundlePreview({ bundle, readOnly }: { readonly bundle: BundleDetail; readonly readOnly: boolean }) {
  const { name } = bundle
  const preview = useQuery({
    queryKey: ['bundles', 'preview', name],
    queryFn: () => api.bundles.preview({ params: { name } }),
  })
  const tokens = preview.data?.estTokens ?? 0
  // The synthetic tool is listed, and is no member.
  const own = preview.data?.tools.filter(({ client, tool }) => client !== null || tool !== SEARCH_TOOL) ?? []
  const share = Math.min(1, tokens / TOKENS_BUDGET)
  return (
    <div className="flex h-full flex-col">
      {preview.data && (
        <div className="flex items-center gap-4 border-b border-line px-6 py-3 text-sm">
          <span>
            {rich(
              own.length < preview.data.tools.length
                ? word('{tools} and {search}, {tokens} tokens in every conversation')
                : word('{tools}, {tokens} tokens in every conversation'),
              {
                tools: <span className="font-semibold">{formatTools(own.length)}</span>,
                search: SEARCH_TOOL,
                tokens: <span className="font-semibold">{formatCount(tokens)}</span>,
              },
            )}
          </span>
          <span
            role="meter"
            aria-label={t('Share of the recommended budget')}
            aria-valuemin={0}
            aria-valuemax={TOKENS_BUDGET}
            aria-valuenow={Math.min(tokens, TOKENS_BUDGET)}
            className="h-1.5 w-40 overflow-hidden rounded-full bg-pressed"
          >
            <span
              className={`block h-full ${share < 0.6 ? 'bg-ok-solid' : share < 1 ? 'bg-warn-solid' : 'bg-bad-solid'}`}
              style={{ width: `${share * 100}%` }}
            />
          </span>
          {preview.data.missing.length > 0 && (
            <Badge tone="warn">{t('{count} missing', { count: preview.data.missing.length })}</Badge>
          )}
          {preview.data.clashes.map((clash) => (
            <Badge key={clash.name} tone="warn">
              {t('{name} is the alias of {count}', { name: clash.name, count: clash.tools.length })}
            </Badge>
          ))}
        </div>
      )}
      {preview.data && own.length > 0 && <ListForm bundle={bundle} cost={preview.data.cost} readOnly={readOnly} />}
      <Table
        className="min-h-0 grow"
        label={t('Client view')}
        columns={COLUMNS}
        rows={preview.data?.tools ?? []}
        rowKey={(tool) => tool.name}
        {...queried(preview)}
        empty={
          <EmptyState icon={Boxes} title={t('Clients see no tools')} about={t('The bundle is empty or disabled.')} />
        }
      />
    </div>
  )
}
