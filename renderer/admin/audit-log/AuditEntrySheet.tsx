// An audit entry: action, detail and its links in the chain.
import { ChevronDown, ChevronUp, ListFilter } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AuditEntry } from '#contract'
import { t } from '../../language/language.ts'
import { IconButton } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Sheet } from '../../ui/Dialog.tsx'
import { isRecord } from '../../ui/form/shape.ts'
import { formatMoment } from '../../ui/format.ts'
import { JsonView } from '../../ui/JsonView.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { ActionBadge } from './ActionBadge.tsx'
import { fieldsOf } from './changed-fields.ts'
import { actorName, targetName } from './entry-names.ts'
import type { AuditFilters } from './filters.ts'

function Changed({ detail }: { readonly detail: Readonly<Record<string, unknown>> }) {
  const { before, after } = detail
  const fields = fieldsOf(isRecord(before) ? before : {}, isRecord(after) ? after : {})
  if (fields.length === 0) return null
  return (
    <section aria-label={t('Changed fields')}>
      <h3 className="eyebrow pb-1.5">{t('Changed fields')}</h3>
      <dl className="overflow-hidden rounded-md border border-line text-xs">
        {fields.map(({ name, was, is }) => (
          <div key={name} className="border-b border-line last:border-b-0">
            <dt className="bg-sunken px-3 py-1 font-mono font-medium break-all">{name}</dt>
            {was !== undefined && <Value mark="−" name="was" text={was} className="bg-bad-soft" />}
            {is !== undefined && <Value mark="+" name={t('is now')} text={is} className="bg-ok-soft" />}
          </div>
        ))}
      </dl>
    </section>
  )
}

function Value({
  mark,
  name,
  text,
  className,
}: {
  readonly mark: string
  readonly name: string
  readonly text: string
  readonly className: string
}) {
  return (
    <dd className={`flex gap-2 px-3 py-1 font-mono ${className}`}>
      <span aria-hidden>{mark}</span>
      <span className="sr-only">{name}</span>
      <span className="max-h-40 min-w-0 overflow-y-auto break-all whitespace-pre-wrap">{text}</span>
    </dd>
  )
}

export function AuditEntrySheet({
  entry,
  entries,
  onOpen,
  onFilter,
}: {
  readonly entry: AuditEntry | undefined
  readonly entries: readonly AuditEntry[]
  readonly onOpen: (entry: AuditEntry | undefined) => void
  readonly onFilter: (filters: AuditFilters) => void
}) {
  const index = entry ? entries.indexOf(entry) : -1
  const step = (by: 1 | -1) => (
    <IconButton
      label={by === 1 ? t('Older entry') : t('Newer entry')}
      size="sm"
      disabled={entries[index + by] === undefined}
      onClick={() => onOpen(entries[index + by])}
    >
      {by === 1 ? <ChevronDown /> : <ChevronUp />}
    </IconButton>
  )
  return (
    <Sheet
      open={entry !== undefined}
      onClose={() => onOpen(undefined)}
      title={entry ? t('Entry #{id}', { id: entry.id }) : ''}
      onKey={(key) => {
        const next = key === 'j' ? entries[index + 1] : key === 'k' ? entries[index - 1] : undefined
        if (next) onOpen(next)
      }}
      actions={
        <>
          {step(-1)}
          {step(1)}
        </>
      }
    >
      {entry && <Entry entry={entry} onFilter={onFilter} />}
    </Sheet>
  )
}

function Labelled({ label, id }: { readonly label: string; readonly id: string }) {
  return label === id || id === '' ? (
    label
  ) : (
    <>
      {label} <code className="font-mono text-xs text-ink-3">{id}</code>
    </>
  )
}

function Entry({ entry, onFilter }: { readonly entry: AuditEntry; readonly onFilter: (f: AuditFilters) => void }) {
  const only = (name: 'actor' | 'action' | 'target') => (
    <IconButton
      label={t('Only entries with this {name}', { name })}
      size="sm"
      className="size-6! [&_svg]:size-3.5!"
      onClick={() => onFilter({ [name]: entry[name] })}
    >
      <ListFilter />
    </IconButton>
  )
  return (
    <div className="flex flex-col gap-5 p-4">
      <dl>
        <Row name={t('Action')} value={<ActionBadge action={entry.action} />} action={only('action')} />
        <Row name={t('Actor')} value={<Labelled label={actorName(entry)} id={entry.actor} />} action={only('actor')} />
        <Row
          name={t('Target')}
          value={<Labelled label={targetName(entry)} id={entry.target} />}
          action={entry.target && only('target')}
        />
        <Row
          name={t('Time')}
          value={
            <>
              {formatMoment(entry.created_at)} <RelativeTime at={entry.created_at} className="text-ink-3" />
            </>
          }
        />
      </dl>
      {entry.detail && <Changed detail={entry.detail} />}
      <section>
        <h3 className="eyebrow pb-1.5">{t('Detail')}</h3>
        {entry.detail ? (
          <JsonView value={entry.detail} label={t('detail')} />
        ) : (
          <p className="text-sm text-ink-3">{t('This action has no details.')}</p>
        )}
      </section>
      <section>
        <h3 className="eyebrow pb-1.5">{t('Chain')}</h3>
        <dl>
          <Hash name={t('Previous')} value={entry.prev_hash} />
          <Hash name={t('This entry')} value={entry.hash} />
        </dl>
        <p className="mt-2 text-xs text-ink-3">
          {t(
            'The hash covers the previous hash and all fields above, so changing or removing an entry breaks every later one.',
          )}
        </p>
      </section>
    </div>
  )
}

function Row({
  name,
  value,
  action,
}: {
  readonly name: string
  readonly value: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className="flex min-h-8 items-center gap-3 border-b border-line text-sm">
      <dt className="w-20 shrink-0 text-ink-3">{name}</dt>
      <dd className="flex min-w-0 grow items-center justify-between gap-2">
        <span className="min-w-0 break-words">{value}</span>
        {action}
      </dd>
    </div>
  )
}

function Hash({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex items-start gap-3 border-b border-line py-1.5 text-sm">
      <dt className="w-20 shrink-0 text-ink-3">{name}</dt>
      <dd className="flex min-w-0 grow items-start gap-2 font-mono text-xs leading-5">
        <span className="min-w-0 grow break-all">{value}</span>
        <CopyButton text={value} label={t('Copy {name} hash', { name: name.toLowerCase() })} />
      </dd>
    </div>
  )
}
