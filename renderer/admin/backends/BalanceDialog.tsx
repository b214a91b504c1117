// Load balancing of a pool: strategy, and weight of the primary server.
import { type Lb, LbInput } from '#contract'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog } from '../../ui/form/RecordForm.tsx'
import { useServerChanges } from './use-server-changes.ts'

export const STRATEGY_NAMES: Readonly<Record<Lb['strategy'], string>> = {
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
export function BalanceDialog({
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
