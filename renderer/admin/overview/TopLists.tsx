// Top tools, callers, backends and refusals of a time range.
import { Link } from '@tanstack/react-router'
import { Ban, KeyRound, type LucideIcon, Server, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import { mayUse } from '#contract'
import { useActor } from '../../api/session.ts'
import { formatCount, formatShare, formatSpan } from '../../ui/format.ts'
import type { Usage } from './use-usage.ts'

const REFUSALS_MOST = 6

export function TopLists({ usage: { tools, keys, clients, refusals } }: { readonly usage: Usage }) {
  const watches = mayUse(useActor(), 'operator')
  return (
    <div className="grid grid-cols-2 gap-4 2xl:grid-cols-4">
      <Top
        title="Refusals by gate"
        icon={Ban}
        empty="No refused calls."
        rows={refusals.slice(0, REFUSALS_MOST).map(({ code, gate, count }) => ({
          key: code,
          name: code,
          count,
          note: gate ?? '',
          link: watches ? { to: '/calls', search: { q: code } } : undefined,
        }))}
      />
      <Top
        title="Top tools"
        icon={Wrench}
        empty="No tool was called."
        rows={tools.map(({ client, tool, calls, errors, p95Ms }) => ({
          key: `${client}/${tool}`,
          name: tool,
          of: client,
          count: calls,
          note: `${errors > 0 ? `${formatShare(errors, calls)} failed, ` : ''}95% within ${formatSpan(p95Ms)}`,
          link: { to: `/tools/${client}/${encodeURIComponent(tool)}` },
        }))}
      />
      <Top
        title="Top callers"
        icon={KeyRound}
        empty="No calls."
        rows={keys.map(({ keyId, label, principalKind, calls, refused }) => ({
          key: `${keyId}/${label}`,
          name: label,
          count: calls,
          note: refused > 0 ? `${formatCount(refused)} refused` : KINDS[principalKind],
          link: keyId === null ? undefined : { to: '/keys', search: { q: label } },
        }))}
      />
      <Top
        title="Top backends"
        icon={Server}
        empty="No backend was called."
        rows={clients.map(({ client, calls, errors }) => ({
          key: client,
          name: client,
          count: calls,
          note: errors > 0 ? `${formatShare(errors, calls)} failed` : '',
          link: { to: `/backends/${client}` },
        }))}
      />
    </div>
  )
}

const KINDS: Readonly<Record<Usage['keys'][number]['principalKind'], string>> = {
  key: 'a key',
  env: 'a key of the environment',
  jwt: 'by token',
  anonymous: 'without a key',
  system: 'the gateway itself',
  admin: 'tried here',
}

type Row = {
  readonly key: string
  readonly name: string
  /** A qualifier, if the name is ambiguous. */
  readonly of?: string
  readonly count: number
  readonly note: string
  readonly link: { readonly to: string; readonly search?: Readonly<Record<string, string>> } | undefined
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
  const most = Math.max(1, ...rows.map(({ count }) => count))
  return (
    <section aria-label={title} className="card min-w-0 px-5 py-4">
      <h3 className="flex items-center gap-2 text-xs font-medium text-ink-2">
        <Icon aria-hidden className="size-4 text-ink-3" />
        {title}
      </h3>
      {rows.length === 0 && <p className="mt-3 text-xs text-ink-3">{empty}</p>}
      <ol className="mt-2 flex flex-col gap-2">
        {rows.map(({ key, name, of, count, note, link }) => (
          <li key={key} className="text-xs">
            <div className="flex items-baseline gap-2">
              <Name link={link}>{name}</Name>
              <span className="min-w-8 grow basis-0 truncate text-2xs text-ink-3">{of}</span>
              <span className="shrink-0 text-2xs text-ink-3">{note}</span>
              <span className="font-medium">{formatCount(count)}</span>
            </div>
            <div aria-hidden className="mt-1 h-1 overflow-hidden rounded-full bg-hover">
              <div className="h-full rounded-full bg-line-strong" style={{ width: `${(count / most) * 100}%` }} />
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
