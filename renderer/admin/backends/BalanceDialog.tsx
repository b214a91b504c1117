// How the next server of a pool is chosen, and how much the backend's own counts.
import { type Lb, LbInput } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { ConflictBanner } from '../../ui/SaveBar.tsx'
import { Select } from '../../ui/Select.tsx'
import { digitsOf, useChecked } from '../../ui/use-checked.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { useSending } from '../../ui/use-mounted.ts'
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

const draftOf = ({ strategy, primaryWeight }: Lb) => ({ strategy, weight: String(primaryWeight) })

function Form({ name, lb, onClose }: Props) {
  const { balance } = useServerChanges(name)
  const kept = useDraft(lb, draftOf)
  const { draft, setDraft, base } = kept
  const save = useSending((next: LbInput) => balance(base, next), onClose)
  const input = { strategy: draft.strategy, primaryWeight: Number(draft.weight), enabled: base.enabled }
  const { problem, submit } = useChecked(LbInput, input, save.error)
  const contested = kept.contested && !save.isPending
  return (
    <DialogForm
      submit="Save"
      busy={save.isPending}
      ready={draft.weight !== '' && !contested}
      error={save.error}
      onSubmit={() => submit(save.mutate)}
      onClose={onClose}
    >
      <Select
        label="The next server is chosen"
        value={draft.strategy}
        options={STRATEGIES}
        onChange={(strategy) => setDraft({ ...draft, strategy })}
      />
      <Field
        label="Weight of the backend’s own server"
        value={draft.weight}
        inputMode="numeric"
        hint="0 leaves it out."
        onChange={(event) => setDraft({ ...draft, weight: digitsOf(event.target.value) })}
        error={problem('primaryWeight')}
      />
      <ConflictBanner kept={{ ...kept, contested }} what={`how ${name} is balanced`} />
    </DialogForm>
  )
}
