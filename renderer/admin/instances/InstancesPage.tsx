// The instances of one database: leader, configuration, load, and how one leaves the rotation.
import { Server } from 'lucide-react'
import type { InstanceRecord } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import type { Tone } from '../../ui/Badge.tsx'
import { buttonColumn, limitColumn, Named, stateColumn, timeColumn } from '../../ui/columns.tsx'
import { useAsk } from '../../ui/Dialog.tsx'
import { formatBytes } from '../../ui/format.ts'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import type { Column } from '../../ui/Table.tsx'
import { useChanges } from '../../ui/use-records.ts'

const AGAIN_MS = 2000

export function InstancesPage() {
  const ask = useAsk()
  const { run } = useChanges('instances')
  const list = usePaged(['instances'], (paging) => api.instances.list({ query: paging }), { againMs: AGAIN_MS })
  const newest = Math.max(0, ...list.rows.map(({ applied }) => applied ?? 0))
  const turn = ({ id, draining }: InstanceRecord): void =>
    draining
      ? ask({
          title: t('Return {id} to the rotation?', { id }),
          about: t('Its readiness probes answer 200 again, and balancers send calls to it.'),
          confirm: t('Resume'),
          run: () => run(api.instances.resume({ params: { id } }), t('{id} is in the rotation', { id })),
        })
      : ask({
          title: t('Drain {id}?', { id }),
          about: t(
            'Its readiness probes answer 503, so that balancers send no new calls. It serves the calls that still arrive, and keeps its jobs.',
          ),
          confirm: t('Drain'),
          run: () => run(api.instances.drain({ params: { id } }), t('{id} leaves the rotation', { id })),
        })
  return (
    <ListPage
      title={t('Instances')}
      about={t('Gateways that use this database. Each applies changes of the others with REGISTRY_SYNC.')}
      noun={t('instance')}
      placeholder={t('Name or host')}
      list={list}
      wordsOf={({ id, host }) => `${id} ${host}`}
      columns={columnsFor(newest, turn)}
      rowKey={({ id }) => id}
      empty={{ icon: Server, title: t('No instances'), about: t('A database in memory has no list of instances.') }}
    />
  )
}

function stateOf({ draining, limitsDegraded, applied }: InstanceRecord, newest: number): readonly [Tone, string] {
  if (draining) return ['warn', t('draining')]
  if (limitsDegraded !== null) return ['warn', t('limits: {limitsDegraded}', { limitsDegraded })]
  if (applied !== null && applied < newest) return ['warn', t('behind')]
  return ['ok', t('serving')]
}

const NONE = { none: '–', width: 'w-28' }

const columnsFor = (newest: number, onTurn: (instance: InstanceRecord) => void): readonly Column<InstanceRecord>[] => [
  {
    key: 'name',
    title: t('Instance'),
    grow: true,
    sortBy: ({ id }) => id,
    cell: ({ id, host, self }) => <Named name={id} about={self ? t('{host} · this one', { host }) : host} />,
  },
  stateColumn((instance) => stateOf(instance, newest), { width: 'w-24' }),
  stateColumn(({ leader }) => (leader ? ['ok', t('leader')] : ['neutral', t('follower')]), {
    title: t('Role'),
    width: 'w-24',
  }),
  limitColumn('applied', t('Configuration'), ({ applied }) => applied, NONE),
  limitColumn('load', t('Load'), ({ loadPercent }) => loadPercent, {
    ...NONE,
    format: (percent) => `${percent} %`,
    width: 'w-20',
  }),
  limitColumn('sessions', t('Sessions'), ({ sessions }) => sessions, { ...NONE, width: 'w-24' }),
  {
    ...limitColumn<InstanceRecord>('memory', t('Memory'), ({ memoryBytes }) => memoryBytes, {
      ...NONE,
      format: formatBytes,
    }),
    spare: true,
  },
  {
    key: 'version',
    title: t('Version'),
    width: 'w-24',
    spare: true,
    sortBy: ({ version }) => version ?? '',
    cell: ({ version }) => <span className="text-ink-2">{version ?? '–'}</span>,
  },
  { ...timeColumn<InstanceRecord>('started', t('Started'), ({ startedAt }) => startedAt, 'w-28'), spare: true },
  buttonColumn({
    text: ({ draining }) => (draining ? t('Resume…') : t('Drain…')),
    label: ({ draining, id }) => (draining ? t('Resume {id}', { id }) : t('Drain {id}', { id })),
    look: 'quiet',
    onClick: onTurn,
  }),
]
