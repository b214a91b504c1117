// How the next server of a pool is chosen, and how much the backend's own counts.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Lb, LbInput } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { digitsOf, useChecked } from '../../ui/use-checked.ts'
import { useServerChanges } from './use-server-changes.ts'

export const STRATEGY_NAMES: Readonly<Record<Lb['strategy'], string>> = {
  'round-robin': 'In turn',
  weighted: 'By weight',
  'least-conn': 'The least busy',
  random: 'At random',
}
const STRATEGIES = Object.entries(STRATEGY_NAMES).map(([value, label]) => ({
  value: value as Lb['strategy'], // the keys of the table above
  label,
}))

type Props = { readonly name: string; readonly lb: Lb; readonly onClose: () => void }

/** Open while there is a pool to change. */
export function BalanceDialog({ lb, ...props }: Omit<Props, 'lb'> & { readonly lb: Lb | null }) {
  return (
    <Dialog
      open={lb !== null}
      onClose={props.onClose}
      title={`How ${props.name} is balanced`}
      about="A tool may have its own strategy, among its features."
    >
      {lb && <Form lb={lb} {...props} />}
    </Dialog>
  )
}

function Form({ name, lb, onClose }: Props) {
  const { balance } = useServerChanges(name)
  const [strategy, setStrategy] = useState(lb.strategy)
  const [weight, setWeight] = useState(String(lb.primaryWeight))
  const save = useMutation({ mutationFn: (next: LbInput) => balance(lb, next), onSuccess: onClose })
  const input = { strategy, primaryWeight: Number(weight), enabled: lb.enabled }
  const { problem, submit } = useChecked(LbInput, input, save.error)
  return (
    <DialogForm
      submit="Save"
      busy={save.isPending}
      ready={weight !== ''}
      error={save.error}
      onSubmit={() => submit(save.mutate)}
      onClose={onClose}
    >
      <Select label="The next server is chosen" value={strategy} options={STRATEGIES} onChange={setStrategy} />
      <Field
        label="Weight of the backend’s own server"
        value={weight}
        inputMode="numeric"
        hint="0 leaves it out."
        onChange={(event) => setWeight(digitsOf(event.target.value))}
        error={problem('primaryWeight')}
      />
    </DialogForm>
  )
}
