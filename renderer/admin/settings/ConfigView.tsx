// Every setting with value, source and default.
import { useQuery } from '@tanstack/react-query'
import { SlidersHorizontal } from 'lucide-react'
import type { EffectiveEntry } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { PageSkeleton } from '../../ui/Skeleton.tsx'
import { useUrlParams } from '../../url-params.ts'
import { changed, type Group, groupsOf, textOf } from './groups.ts'

const SOURCES = {
  env: { tone: 'info', label: t('Environment') },
  file: { tone: 'warn', label: t('File') },
  default: { tone: 'neutral', label: t('Default') },
} as const

export function ConfigView() {
  const [params, change] = useUrlParams()
  const { data, error, refetch } = useQuery({ queryKey: ['settings'], queryFn: () => api.config.effective() })
  if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <PageSkeleton />

  const wanted = (params.q ?? '').trim().toLowerCase()
  const onlyChanged = params.only === 'changed'
  const shown = data.entries.filter(
    (entry) =>
      (entry.key.toLowerCase().includes(wanted.replaceAll(' ', '_')) ||
        t(entry.meaning ?? '')
          .toLowerCase()
          .includes(wanted)) &&
      (!onlyChanged || changed(entry)),
  )
  const groups = groupsOf(shown)
  return (
    <div className="flex h-full flex-col">
      <search className="flex shrink-0 flex-wrap items-center gap-3 border-b border-line px-6 py-3">
        <SearchInput label={t('Find a setting')} width="w-72!" value={params.q ?? ''} onChange={(q) => change({ q })} />
        <Button
          look={onlyChanged ? 'strong' : 'plain'}
          aria-pressed={onlyChanged}
          onClick={() => change({ only: onlyChanged ? '' : 'changed' })}
        >
          {t('Set here: {count}', { count: data.entries.filter(changed).length })}
        </Button>
        <span className="text-xs whitespace-nowrap text-ink-3">
          {t('{count} of {count2}', { count: shown.length, count2: data.entries.length })}
        </span>
        <dl className="ml-auto flex flex-wrap gap-x-5 gap-y-1 text-xs whitespace-nowrap">
          <Fact name={t('Version')} value={data.version} />
          <Fact name={t('Runtime')} value={data.runtime} />
          <Fact name={t('Schema')} value={String(data.dbVersion)} />
          <Fact name={t('Environment')} value={data.nodeEnv ?? t('not set')} />
        </dl>
      </search>
      <div className="flex min-h-0 grow">
        <GroupIndex groups={groups} />
        <div className="min-w-0 grow overflow-y-auto px-6 pb-12">
          {groups.map((group) => (
            <GroupTable key={group.title} group={group} />
          ))}
          {groups.length === 0 && (
            <EmptyState
              icon={SlidersHorizontal}
              title={t('No setting matches')}
              about={onlyChanged ? t('No changed setting matches.') : t('Try part of its name.')}
              action={<Button onClick={() => change({ q: '', only: '' })}>{t('Show all')}</Button>}
            />
          )}
        </div>
      </div>
    </div>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-ink-3">{name}</dt>
      <dd className="font-medium">{value}</dd>
    </div>
  )
}

function idOf(group: Group): string {
  return `settings-${group.title.toLowerCase().replaceAll(' ', '-')}`
}

function GroupIndex({ groups }: { readonly groups: readonly Group[] }) {
  return (
    <nav aria-label={t('Subjects')} className="w-56 shrink-0 overflow-y-auto border-r border-line p-2 max-lg:hidden">
      {groups.map((group) => (
        <button
          key={group.title}
          type="button"
          className="flex h-7 w-full items-center justify-between gap-2 rounded-md px-3 text-left text-sm text-ink-2 hover:bg-hover hover:text-ink"
          onClick={() => document.getElementById(idOf(group))?.scrollIntoView({ block: 'start', behavior: 'smooth' })}
        >
          <span className="truncate">{group.title}</span>
          <span className="text-xs text-ink-3">{group.entries.length}</span>
        </button>
      ))}
    </nav>
  )
}

function GroupTable({ group }: { readonly group: Group }) {
  return (
    <section id={idOf(group)} aria-label={group.title}>
      <h2 className="sticky top-0 bg-surface pt-5 pb-2 text-sm font-semibold">{group.title}</h2>
      <div className="overflow-hidden rounded-lg border border-line">
        <table className="w-full table-fixed text-left">
          <colgroup>
            <col className="w-[48%]" />
            <col />
            <col className="w-28" />
            <col className="w-[20%] max-lg:hidden" />
          </colgroup>
          <thead className="sr-only">
            <tr>
              <th scope="col">{t('Setting')}</th>
              <th scope="col">{t('Value')}</th>
              <th scope="col">{t('Source')}</th>
              <th scope="col" className="max-lg:hidden">
                {t('Default')}
              </th>
            </tr>
          </thead>
          <tbody>
            {group.entries.map((entry) => (
              <SettingRow key={entry.key} entry={entry} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function SettingRow({ entry }: { readonly entry: EffectiveEntry }) {
  const { tone, label } = SOURCES[entry.source]
  return (
    <tr className="group border-b border-line last:border-0 hover:bg-hover">
      <th scope="row" className="px-3 py-1.5 font-mono text-xs font-medium">
        <span className="flex min-h-6 items-center gap-1">
          <span className="truncate" title={entry.key}>
            {entry.key}
          </span>
          <span className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
            <CopyButton text={entry.key} label={t('Copy {key}', { key: entry.key })} />
          </span>
        </span>
        {entry.meaning && <span className="block pb-1 font-sans font-normal text-ink-2">{t(entry.meaning)}.</span>}
      </th>
      <td className="px-3 py-1.5">
        {entry.redacted ? (
          <Badge tone={entry.value === 'set' ? 'ok' : 'neutral'}>
            {entry.value === 'set' ? t('Secret is set') : t('Secret is not set')}
          </Badge>
        ) : (
          <span className={cx('font-mono text-xs break-all', changed(entry) ? 'font-semibold' : 'text-ink-2')}>
            {textOf(entry.value)}
          </span>
        )}
      </td>
      <td className="px-3 py-1.5">
        <Badge tone={tone}>{label}</Badge>
      </td>
      <td className="truncate px-3 py-1.5 text-xs text-ink-3 max-lg:hidden">
        {changed(entry) && !entry.redacted && (
          <>{rich('default {value}', { value: <span className="font-mono">{textOf(entry.default)}</span> })}</>
        )}
      </td>
    </tr>
  )
}
