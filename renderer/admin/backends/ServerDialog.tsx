// A server of a pool: where it is, and how much of the calls it gets beside the others.
import { useState } from 'react'
import { type ClientDetail, type Lb, type LbTarget, LbTargetInput } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { ConflictBanner } from '../../ui/SaveBar.tsx'
import { digitsOf, useChecked } from '../../ui/use-checked.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { useSending } from '../../ui/use-mounted.ts'
import { CredentialChoice, detachedFrom } from './CredentialChoice.tsx'
import { useServerChanges } from './use-server-changes.ts'

type Adding = { readonly backend: ClientDetail; readonly onClose: () => void }
/** The server as it is now; it is a part of its pool, and has its revision. */
type Changing = { readonly name: string; readonly onClose: () => void; readonly server: LbTarget; readonly pool: Lb }

const WEIGHT_HINT = 'From 1 to 1000, relative to the other servers.'

export function AddServer({ open, ...props }: Adding & { readonly open: boolean }) {
  return (
    <Dialog
      open={open}
      onClose={props.onClose}
      title={`Add a server to ${props.backend.name}`}
      about="It must offer the same tools. Calls are balanced from the first server on."
    >
      {open && <AddForm {...props} />}
    </Dialog>
  )
}

function AddForm({ backend, onClose }: Adding) {
  const { addServer } = useServerChanges(backend.name)
  const [keep, setKeep] = useState(false)
  const [baseUrl, setBaseUrl] = useState('')
  const [weight, setWeight] = useState('1')
  const detached = detachedFrom(backend, baseUrl) !== undefined
  const save = useSending((input: LbTargetInput) => addServer(input, detached && keep), onClose)
  const { problem, submit } = useChecked(LbTargetInput, { baseUrl, weight: Number(weight) }, save.error)
  return (
    <DialogForm
      submit="Add server"
      busy={save.isPending}
      ready={baseUrl !== '' && weight !== ''}
      error={save.error}
      onSubmit={() => submit(save.mutate)}
      onClose={onClose}
    >
      <Field
        label="Base URL"
        value={baseUrl}
        spellCheck={false}
        autoComplete="off"
        hint="It is checked and pinned when it is saved."
        onChange={(event) => setBaseUrl(event.target.value)}
        error={problem('baseUrl')}
      />
      <CredentialChoice backend={backend} url={baseUrl} keep={keep} onKeep={setKeep} />
      <Field
        label="Weight"
        value={weight}
        inputMode="numeric"
        hint={WEIGHT_HINT}
        onChange={(event) => setWeight(digitsOf(event.target.value))}
        error={problem('weight')}
      />
    </DialogForm>
  )
}

/** Open while there is a server to change. */
export function ChangeServer({ server, ...props }: Omit<Changing, 'server'> & { readonly server: LbTarget | null }) {
  return (
    <Dialog open={server !== null} onClose={props.onClose} title="Change a server" about={server?.baseUrl ?? ''}>
      {server && <ChangeForm key={server.id} server={server} {...props} />}
    </Dialog>
  )
}

type Member = Pick<LbTarget, 'weight'> & { readonly pool: Lb; readonly revision: number }
const draftOf = ({ weight }: Member): string => String(weight)

function ChangeForm({ name, server, pool, onClose }: Changing) {
  const { changeServer } = useServerChanges(name)
  const kept = useDraft<Member, string>({ weight: server.weight, pool, revision: pool.revision }, draftOf)
  const save = useSending(
    ({ weight }: Pick<LbTargetInput, 'weight'>) => changeServer(kept.base.pool, server, { weight }),
    onClose,
  )
  const input = { weight: Number(kept.draft) }
  const { problem, submit } = useChecked(LbTargetInput.pick({ weight: true }), input, save.error)
  const contested = kept.contested && !save.isPending
  return (
    <DialogForm
      submit="Save"
      busy={save.isPending}
      ready={kept.draft !== '' && !contested}
      error={save.error}
      onSubmit={() => submit(save.mutate)}
      onClose={onClose}
    >
      <Field
        label="Weight"
        value={kept.draft}
        inputMode="numeric"
        hint={WEIGHT_HINT}
        onChange={(event) => kept.setDraft(digitsOf(event.target.value))}
        error={problem('weight')}
      />
      <ConflictBanner kept={{ ...kept, contested }} what={server.baseUrl} />
    </DialogForm>
  )
}
