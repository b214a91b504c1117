// The pool of a backend: servers with weight, state and load.
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { type ClientDetail, type Lb, LbInput, type LbTarget } from '#contract'
import { Badge } from '../../ui/Badge.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog } from '../../ui/form/RecordForm.tsx'
import { notifyError } from '../../ui/notify.ts'
import { Switch } from '../../ui/Switch.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { AddServer, ChangeServer } from './ServerDialog.tsx'
import { useServerChanges } from './use-server-changes.ts'

const STRATEGY_NAMES: Readonly<Record<Lb['strategy'], string>> = {
  'round-robin': 'Round robin',
  weighted: 'Weighted',
  'least-conn': 'Least busy',
  random: 'Random',
}

const FORM = formOf(LbInput.omit({ upstreams: true }), {
  strategy: { label: 'Strategy', options: STRATEGY_NAMES },
  primaryWeight: { label: 'Weight of the primary server', hint: '0 excludes it.', needed: true },
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
      title={`Load balancing of ${name}`}
      about="A tool can override the strategy in its features."
      form={FORM}
      record={lb ?? undefined}
      submit="Save"
      what={`load balancing of ${name}`}
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
  const [balancing, setBalancing] = useState(false)
  const [adding, setAdding] = useState(false)
  /** The id of a server. */
  const [changing, setChanging] = useState<number | null>(null)
  return (
    <section aria-label="Load balancing" className="card overflow-hidden">
      <header className="flex items-center gap-3 px-6 py-4">
        <div className="min-w-0 grow">
          <h2 className="text-sm font-semibold">{lb ? 'Load balancing' : 'No load balancing'}</h2>
          <p className="mt-0.5 text-xs text-ink-2">
            {lb
              ? `The next server is chosen: ${STRATEGY_NAMES[lb.strategy].toLowerCase()}. One that fails is left out for a while.`
              : 'Calls go to the backend’s primary server. Add servers to distribute calls among them.'}
          </p>
        </div>
        {!readOnly && (
          <>
            {lb && (
              <Switch
                label="Calls are balanced"
                on={lb.enabled}
                onChange={(enabled) => void changes.balance(lb, { ...lb, enabled }).catch(notifyError)}
              />
            )}
            {lb && (
              <Button size="sm" onClick={() => setBalancing(true)}>
                Change…
              </Button>
            )}
            <Button size="sm" onClick={() => setAdding(true)}>
              <Plus />
              Add a server…
            </Button>
            {lb && (
              <IconButton
                label="Turn off load balancing"
                size="sm"
                onClick={() => void changes.stopBalancing(lb).catch(notifyError)}
              >
                <X />
              </IconButton>
            )}
          </>
        )}
      </header>
      {lb && (
        <Table
          className="border-t border-line"
          label="Servers in the pool"
          rows={membersOf(backend, lb)}
          rowKey={({ id }) => id ?? 'own'}
          columns={[...COLUMNS, ...(readOnly ? [] : [actionsColumn(lb, changes, setChanging)])]}
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
    title: 'Server',
    grow: true,
    cell: ({ baseUrl, id, lastError }) => (
      <span className="flex min-w-0 items-baseline gap-2">
        <code className="truncate font-mono text-xs font-medium">{baseUrl}</code>
        {id === null && <span className="text-xs whitespace-nowrap text-ink-3">its own</span>}
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
    title: 'State',
    width: 'w-32',
    cell: ({ id, enabled, state }) =>
      !enabled ? (
        <Badge dot>{id === null ? 'Left out' : 'Off'}</Badge>
      ) : id === null ? (
        <span className="text-ink-3">–</span>
      ) : (
        <Badge tone={state === 'up' ? 'ok' : 'warn'} dot>
          {state === 'up' ? 'Up' : 'Cooling down'}
        </Badge>
      ),
  },
  { key: 'weight', title: 'Weight', width: 'w-20', align: 'right', cell: ({ weight }) => weight },
  {
    key: 'flight',
    title: 'In flight',
    width: 'w-24',
    align: 'right',
    cell: ({ id, inFlight }) => (id === null ? <span className="text-ink-3">–</span> : inFlight),
  },
]

function actionsColumn(
  pool: Lb,
  { changeServer, takeServer }: ReturnType<typeof useServerChanges>,
  onChange: (id: number) => void,
): Column<Member> {
  return {
    key: 'actions',
    title: '',
    width: 'w-44',
    align: 'right',
    cell: ({ id }) => {
      const server = pool.targets.find((target) => target.id === id)
      if (!server) return null
      return (
        <span className="-my-1.5 flex items-center justify-end gap-2">
          <Switch
            label={`${server.baseUrl} is on`}
            on={server.enabled}
            onChange={(enabled) => void changeServer(pool, server, { enabled }).catch(notifyError)}
          />
          <Button size="sm" aria-label={`Change ${server.baseUrl}`} onClick={() => onChange(server.id)}>
            Change…
          </Button>
          <IconButton
            label={`Remove ${server.baseUrl}`}
            size="sm"
            onClick={() => void takeServer(pool, server).catch(notifyError)}
          >
            <X />
          </IconButton>
        </span>
      )
    },
  }
}
