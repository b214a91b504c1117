// The pool of a backend: servers with weight, state and load.

import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { type ClientDetail, type Lb, LbInput, type LbTarget } from '#contract'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { actionColumn } from '../../ui/columns.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog } from '../../ui/form/RecordForm.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useBusy } from '../../ui/use-busy.ts'
import { AddServer, ChangeServer } from './ServerDialog.tsx'
import { useServerChanges } from './use-server-changes.ts'

const STRATEGY_NAMES: Readonly<Record<Lb['strategy'], string>> = {
  'round-robin': t('Round robin'),
  weighted: t('Weighted'),
  'least-conn': t('Least busy'),
  random: t('Random'),
}

const FORM = formOf(LbInput.omit({ upstreams: true }), {
  strategy: { label: t('Strategy'), options: STRATEGY_NAMES },
  primaryWeight: { label: t('Weight of the primary server'), hint: t('0 excludes it.'), needed: true },
})

/** Open while a pool is given. */
function BalanceDialog({
  name,
  lb,
  onClose,
}: {
  readonly name: string
  readonly lb: Lb | null
  readonly onClose: () => void
}) {
  const { balance } = useServerChanges(name)
  return (
    <RecordDialog
      open={lb !== null}
      onClose={onClose}
      title={t('Load balancing of {name}', { name })}
      about={t('A tool can override the strategy in its features.')}
      form={FORM}
      record={lb ?? undefined}
      submit={t('Save')}
      what={t('load balancing of {name}', { name })}
      onSubmit={async (input, base) => {
        if (base) await balance(base, input)
      }}
    />
  )
}

/** The primary server has no record. */
type Member = Omit<LbTarget, 'id'> & { readonly id: number | null }

export function Pool({
  backend,
  lb,
  readOnly,
}: {
  readonly backend: ClientDetail
  readonly lb: Lb | null
  readonly readOnly: boolean
}) {
  const changes = useServerChanges(backend.name)
  const busy = useBusy()
  const [balancing, setBalancing] = useState(false)
  const [adding, setAdding] = useState(false)
  /** The id of a server. */
  const [changing, setChanging] = useState<number | null>(null)
  return (
    <section aria-label={t('Load balancing')} className="card overflow-hidden">
      <header className="flex items-center gap-3 px-6 py-4">
        <div className="min-w-0 grow">
          <h2 className="text-sm font-semibold">{lb ? t('Load balancing') : t('No load balancing')}</h2>
          <p className="mt-0.5 text-xs text-ink-2">
            {lb
              ? t('The next server is chosen: {STRATEGY_NAMES}. One that fails is left out for a while.', {
                  STRATEGY_NAMES: STRATEGY_NAMES[lb.strategy].toLowerCase(),
                })
              : t('Calls go to the backend’s primary server. Add servers to distribute calls among them.')}
          </p>
        </div>
        {!readOnly && (
          <PoolActions
            backend={backend}
            lb={lb}
            busy={busy}
            onBalance={() => setBalancing(true)}
            onAdd={() => setAdding(true)}
          />
        )}
      </header>
      {lb && (
        <Table
          className="border-t border-line"
          label={t('Servers in the pool')}
          rows={membersOf(backend, lb)}
          rowKey={({ id }) => id ?? 'own'}
          columns={[...COLUMNS, ...(readOnly ? [] : [actionsColumn(lb, changes, busy, setChanging)])]}
          empty={null}
        />
      )}
      <BalanceDialog name={backend.name} lb={balancing ? lb : null} onClose={() => setBalancing(false)} />
      <AddServer backend={backend} open={adding} onClose={() => setAdding(false)} />
      {lb && (
        <ChangeServer
          name={backend.name}
          pool={lb}
          server={lb.targets.find(({ id }) => id === changing) ?? null}
          onClose={() => setChanging(null)}
        />
      )}
    </section>
  )
}

type PoolActionsProps = {
  readonly backend: ClientDetail
  readonly lb: Lb | null
  readonly busy: ReturnType<typeof useBusy>
  readonly onBalance: () => void
  readonly onAdd: () => void
}

function PoolActions({ backend, lb, busy: [waits, during], onBalance, onAdd }: PoolActionsProps) {
  const changes = useServerChanges(backend.name)
  return (
    <>
      {lb && (
        <Switch
          label={t('Calls are balanced')}
          on={lb.enabled}
          disabled={waits}
          onChange={(enabled) => during(changes.balance(lb, { ...lb, enabled }))}
        />
      )}
      {lb && (
        <Button size="sm" disabled={waits} onClick={onBalance}>
          {t('Change…')}
        </Button>
      )}
      <Button size="sm" disabled={waits} onClick={onAdd}>
        <Plus />
        {t('Add a server…')}
      </Button>
      {lb && (
        <IconButton
          label={t('Turn off load balancing')}
          size="sm"
          disabled={waits}
          onClick={() => during(changes.stopBalancing(lb))}
        >
          <X />
        </IconButton>
      )}
    </>
  )
}

const membersOf = (backend: ClientDetail, { primaryWeight, targets }: Lb): readonly Member[] => [
  {
    id: null,
    baseUrl: backend.baseUrl,
    resolvedIp: backend.resolvedIp ?? '',
    weight: primaryWeight,
    enabled: primaryWeight > 0,
    state: 'up',
    inFlight: 0,
    lastError: null,
  },
  ...targets,
]

const COLUMNS: readonly Column<Member>[] = [
  {
    key: 'server',
    title: t('Server'),
    grow: true,
    cell: ({ baseUrl, id, lastError }) => (
      <span className="flex min-w-0 items-baseline gap-2">
        <code className="truncate font-mono text-xs font-medium">{baseUrl}</code>
        {id === null && <span className="text-xs whitespace-nowrap text-ink-3">{t('its own')}</span>}
        {lastError && (
          <span className="min-w-0 grow basis-0 truncate text-xs text-bad" title={lastError}>
            {lastError}
          </span>
        )}
      </span>
    ),
  },
  {
    key: 'state',
    title: t('State'),
    width: 'w-32',
    cell: ({ id, enabled, state }) =>
      !enabled ? (
        <Badge dot>{id === null ? t('Left out') : t('Off')}</Badge>
      ) : id === null ? (
        <span className="text-ink-3">–</span>
      ) : (
        <Badge tone={state === 'up' ? 'ok' : 'warn'} dot>
          {state === 'up' ? t('Up') : t('Cooling down')}
        </Badge>
      ),
  },
  { key: 'weight', title: t('Weight'), width: 'w-20', align: 'right', cell: ({ weight }) => weight },
  {
    key: 'flight',
    title: t('In flight'),
    width: 'w-24',
    align: 'right',
    cell: ({ id, inFlight }) => (id === null ? <span className="text-ink-3">–</span> : inFlight),
  },
]

function actionsColumn(
  pool: Lb,
  { changeServer, takeServer }: ReturnType<typeof useServerChanges>,
  [waits, during]: ReturnType<typeof useBusy>,
  onChange: (id: number) => void,
): Column<Member> {
  return actionColumn('w-44', ({ id }) => {
    const server = pool.targets.find((target) => target.id === id)
    if (!server) return null
    return (
      <span className="-my-1.5 flex items-center justify-end gap-2">
        <Switch
          label={t('{baseUrl} is on', { baseUrl: server.baseUrl })}
          on={server.enabled}
          disabled={waits}
          onChange={(enabled) => during(changeServer(pool, server, { enabled }))}
        />
        <Button
          size="sm"
          disabled={waits}
          aria-label={t('Change {baseUrl}', { baseUrl: server.baseUrl })}
          onClick={() => onChange(server.id)}
        >
          {t('Change…')}
        </Button>
        <IconButton
          label={t('Remove {baseUrl}', { baseUrl: server.baseUrl })}
          size="sm"
          disabled={waits}
          onClick={() => during(takeServer(pool, server))}
        >
          <X />
        </IconButton>
      </span>
    )
  })
}
