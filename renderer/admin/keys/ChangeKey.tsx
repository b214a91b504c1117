// Changes a key: label, access, expiry and consumer. Without another choice, access and expiry stay as they are.
import { z } from 'zod'
import { API, type KeyRecord } from '#contract'
import { findConsumers } from '../../api/find.ts'
import { t } from '../../language/language.ts'
import { Finder } from '../../ui/Finder.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { expiryOf, LIFETIMES, UNTIL } from '../../ui/form/lifetime.tsx'
import { type DialogProps, RecordDialog } from '../../ui/form/RecordForm.tsx'
import { ACCESS_OPTIONS, PERSON, REACHED } from './access-fields.tsx'
import { scopesOf } from './reach.ts'
import { useKeyChanges } from './use-key-changes.ts'

const { '30': month, '90': quarter, '365': year, date, never } = LIFETIMES
const Change = z.object({
  label: API.mcpKeys.create.body.shape.label,
  access: z.enum(['keep', 'bundle', 'clients', 'all']).default('keep'),
  bundle: z.string().default(''),
  clients: z.array(z.string()).default([]),
  lifetime: z.enum(['keep', '30', '90', '365', 'date', 'never']).default('keep'),
  until: z.string().default(''),
  consumerId: z.number().nullable().default(null),
  person: API.mcpKeys.create.body.shape.person,
})

const FORM = formOf(Change, {
  label: { label: t('Label') },
  access: {
    label: t('Access'),
    options: { keep: t('As it is'), ...ACCESS_OPTIONS },
    resets: ['bundle', 'clients'],
  },
  ...REACHED,
  lifetime: {
    label: t('Expires'),
    options: {
      keep: t('As it is'),
      '30': t('{month} from now', { month }),
      '90': t('{quarter} from now', { quarter }),
      '365': t('{year} from now', { year }),
      date,
      never,
    },
    resets: ['until'],
  },
  until: UNTIL,
  consumerId: {
    label: t('Consumer'),
    draw: ({ value, onChange }) => <PickConsumer id={typeof value === 'number' ? value : null} onPick={onChange} />,
  },
  person: PERSON,
})

function PickConsumer({ id, onPick }: { readonly id: number | null; readonly onPick: (id: number | null) => void }) {
  const none = { value: '', label: t('None') }
  return (
    <Finder
      label={t('Consumer')}
      value={id === null ? none : { value: String(id), label: t('Consumer {id}', { id }) }}
      placeholder={t('None')}
      none={t('No consumers yet.')}
      queryKey={['consumers', 'pick']}
      find={async (q) => {
        const { items, more } = await findConsumers(q)
        return { more, items: [none, ...items.map((found) => ({ value: String(found.id), label: found.name }))] }
      }}
      onPick={({ value }) => onPick(value === '' ? null : Number(value))}
    />
  )
}

export function ChangeKey({ record, ...dialog }: DialogProps & { readonly record: KeyRecord }) {
  const { change } = useKeyChanges()
  return (
    <RecordDialog
      {...dialog}
      record={record}
      what={record.label}
      width="max-w-lg"
      form={FORM}
      valuesOf={({ label, consumerId, person }) => ({
        label,
        consumerId,
        person,
        access: 'keep',
        lifetime: 'keep',
        until: '',
        bundle: '',
        clients: [],
      })}
      onSubmit={({ label, access, bundle, clients, lifetime, until, consumerId, person }, base = record) =>
        change(base, {
          label,
          consumerId,
          person,
          ...(access !== 'keep' && {
            scopes: scopesOf(
              access === 'all'
                ? { kind: 'all' }
                : access === 'bundle'
                  ? { kind: 'bundle', name: bundle }
                  : { kind: 'clients', names: clients },
            ),
          }),
          ...(lifetime !== 'keep' && { expiresAt: expiryOf(lifetime, Date.now(), until) }),
        })
      }
    />
  )
}
