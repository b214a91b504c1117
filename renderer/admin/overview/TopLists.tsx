// Top tools, callers, backends and refusals of a time range.
import { Link } from '@tanstack/react-router'
import { Ban, CircleX, KeyRound, type LucideIcon, Server, Timer, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import { mayUse, type UsageOfTool } from '#contract'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { formatCount, formatShare, formatSpan } from '../../ui/format.ts'
import type { Usage } from './use-usage.ts'

const REFUSALS_MOST = 6

export function TopLists({ usage }: { readonly usage: Usage }) {
  const { keys, clients, refusals } = usage
  const counted = useCounted(usage)
  return (
    <div className="grid grid-cols-2 gap-4 xl:grid-cols-3">
      <Top
        title={t('Refusals by gate')}
        icon={Ban}
        empty={t('No refused calls.')}
        rows={refusals.slice(0, REFUSALS_MOST).map(({ code, gate, count }) => ({
          key: code,
          name: code,
          value: count,
          note: gate ?? '',
          link: counted({ code }),
          counted: counted({ code }),
        }))}
      />
      <ToolLists usage={usage} />
      <Top
        title={t('Top callers')}
        icon={KeyRound}
        empty={t('No calls.')}
        rows={keys.map(({ keyId, label, principalKind, calls, refused }) => ({
          key: `${keyId}/${label}`,
          name: label,
          value: calls,
          note: refused > 0 ? t('{count} refused', { count: formatCount(refused) }) : KINDS[principalKind],
          link: keyId === null ? undefined : { to: '/keys', search: { q: label } },
          counted: counted(keyId === null ? { caller: label } : { key: String(keyId) }),
        }))}
      />
      <Top
        title={t('Top backends')}
        icon={Server}
        empty={t('No backend was called.')}
        rows={clients.map(({ client, calls, errors }) => ({
          key: client,
          name: client,
          value: calls,
          note: errors > 0 ? t('{errors} failed', { errors: formatShare(errors, calls) }) : '',
          link: { to: `/backends/${client}` },
          counted: counted({ client }),
        }))}
      />
    </div>
  )
}

/** The calls that a number counts; undefined for those who may not see them. */
function useCounted({ window }: Usage): (search: Search) => Row['counted'] {
  const watches = mayUse(useActor(), 'operator')
  return (search) => (watches ? { to: '/calls', search: { kind: 'tool', ...window, ...search } } : undefined)
}

/** Most failing, slowest and most used. */
export function ToolLists({ usage }: { readonly usage: Usage }) {
  const { tools, slowest, failing } = usage
  const counted = useCounted(usage)
  const toolRow = (of: UsageOfTool): Omit<Row, 'value' | 'shown' | 'note' | 'counted'> => ({
    key: `${of.client}/${of.tool}`,
    name: of.tool,
    of: of.client,
    link: { to: `/tools/${of.client}/${encodeURIComponent(of.tool)}` },
  })
  return (
    <>
      <Top
        title={t('Most failing tools')}
        icon={CircleX}
        empty={t('No call failed.')}
        rows={failing.map((of) => ({
          ...toolRow(of),
          value: of.errors,
          note: t('{errors} of {count}', { errors: formatShare(of.errors, of.calls), count: formatCount(of.calls) }),
          counted: counted({ client: of.client, tool: of.tool, outcome: 'error' }),
        }))}
      />
      <Top
        title={t('Slowest tools')}
        icon={Timer}
        empty={t('No tool was called.')}
        rows={slowest.map((of) => ({
          ...toolRow(of),
          value: of.p95Ms,
          shown: formatSpan(of.p95Ms),
          note: t('95th percentile'),
          counted: counted({ client: of.client, tool: of.tool }),
        }))}
      />
      <Top
        title={t('Most used tools')}
        icon={Wrench}
        empty={t('No tool was called.')}
        rows={tools.map((of) => ({
          ...toolRow(of),
          value: of.calls,
          note: of.errors > 0 ? t('{errors} failed', { errors: formatShare(of.errors, of.calls) }) : '',
          counted: counted({ client: of.client, tool: of.tool }),
        }))}
      />
    </>
  )
}

const KINDS: Readonly<Record<Usage['keys'][number]['principalKind'], string>> = {
  key: t('a key'),
  env: t('a key of the environment'),
  jwt: t('by token'),
  anonymous: t('without a key'),
  system: t('the gateway itself'),
  admin: t('tried here'),
}

type Search = Readonly<Record<string, string>>
type LinkTo = { readonly to: string; readonly search?: Search }

type Row = {
  readonly key: string
  readonly name: string
  /** A qualifier, if the name is ambiguous. */
  readonly of?: string
  readonly value: number
  /** The value as text, where it is no count. */
  readonly shown?: string
  readonly note: string
  readonly link: LinkTo | undefined
  readonly counted: LinkTo | undefined
}

function Top({
  title,
  icon: Icon,
  rows,
  empty,
}: {
  readonly title: string
  readonly icon: LucideIcon
  readonly rows: readonly Row[]
  readonly empty: string
}) {
  const most = Math.max(1, ...rows.map(({ value }) => value))
  return (
    <section aria-label={title} className="card min-w-0 px-5 py-4">
      <h3 className="flex items-center gap-2 text-xs font-medium text-ink-2">
        <Icon aria-hidden className="size-4 text-ink-3" />
        {title}
      </h3>
      {rows.length === 0 && <p className="mt-3 text-xs text-ink-3">{empty}</p>}
      <ol className="mt-2 flex flex-col gap-2">
        {rows.map(({ key, name, of, value, shown, note, link, counted }) => (
          <li key={key} className="text-xs">
            <div className="flex items-baseline gap-2">
              <Name link={link}>{name}</Name>
              <span className="min-w-8 grow basis-0 truncate text-2xs text-ink-3">{of}</span>
              <span className="shrink-0 text-2xs text-ink-3">{note}</span>
              <Name link={counted}>{shown ?? formatCount(value)}</Name>
            </div>
            <div aria-hidden className="mt-1 h-1 overflow-hidden rounded-full bg-hover">
              <div className="h-full rounded-full bg-line-strong" style={{ width: `${(value / most) * 100}%` }} />
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Name({ link, children }: { readonly link: Row['link']; readonly children: ReactNode }) {
  const className = 'max-w-[60%] truncate font-medium'
  return link ? (
    <Link to={link.to} search={link.search ?? {}} className={`${className} rounded hover:underline`}>
      {children}
    </Link>
  ) : (
    <span className={className}>{children}</span>
  )
}
