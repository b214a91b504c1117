// How calls are spread over the servers of a pool: the strategy, and the share of the backend's own server.
import { type Lb, LbInput } from '#contract'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog } from '../../ui/form/RecordForm.tsx'
import { useServerChanges } from './use-server-changes.ts'

export const STRATEGY_NAMES: Readonly<Record<Lb['strategy'], string>> = {
  'round-robin': 'In turn',
  weighted: 'By weight',
  'least-conn': 'The least busy',
  random: 'At random',
}

const FORM = formOf(LbInput.omit({ upstreams: true }), {
  strategy: { label: 'The next server is chosen', options: STRATEGY_NAMES },
  primaryWeight: { label: 'Weight of the backend’s own server', hint: '0 leaves it out.', needed: true },
})

/** Open while there is a pool to change. */
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
      title={`How ${name} is balanced`}
      about="A tool may have its own strategy, among its features."
      form={FORM}
      record={lb ?? undefined}
      submit="Save"
      what={`how ${name} is balanced`}
      onSubmit={async (input, base) => {
        if (base) await balance(base, input)
      }}
    />
  )
}
