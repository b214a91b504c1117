// A server of a pool: where it is, and how much of the calls it gets beside the others.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type LbTarget, LbTargetInput } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { digitsOf, useChecked } from '../../ui/use-checked.ts'
import { useServerChanges } from './use-server-changes.ts'

type Props = {
  readonly name: string
  /** Null for a new one. */
  readonly server: LbTarget | null
  readonly onClose: () => void
}

export function ServerDialog({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog
      open={open}
      onClose={props.onClose}
      title={props.server ? 'Change a server' : `Add a server to ${props.name}`}
      about={props.server?.baseUrl ?? 'It must serve the same tools. The first one begins the balancing.'}
    >
      {open && <Form {...props} />}
    </Dialog>
  )
}

function Form({ name, server, onClose }: Props) {
  const { addServer, changeServer } = useServerChanges(name)
  const [baseUrl, setBaseUrl] = useState(server?.baseUrl ?? '')
  const [weight, setWeight] = useState(String(server?.weight ?? 1))
  const save = useMutation({
    mutationFn: (input: LbTargetInput) => (server ? changeServer(server, { weight: input.weight }) : addServer(input)),
    onSuccess: onClose,
  })
  const input = { baseUrl, weight: Number(weight), enabled: server?.enabled ?? true }
  const { problem, submit } = useChecked(LbTargetInput, input, save.error)
  return (
    <DialogForm
      submit={server ? 'Save' : 'Add'}
      busy={save.isPending}
      ready={baseUrl !== '' && weight !== ''}
      error={save.error}
      onSubmit={() => submit(save.mutate)}
      onClose={onClose}
    >
      {!server && (
        <Field
          label="Base URL"
          value={baseUrl}
          spellCheck={false}
          autoComplete="off"
          hint="It is checked and pinned when it is saved."
          onChange={(event) => setBaseUrl(event.target.value)}
          error={problem('baseUrl')}
        />
      )}
      <Field
        label="Weight"
        value={weight}
        inputMode="numeric"
        hint="From 1 to 1000, beside those of the others."
        onChange={(event) => setWeight(digitsOf(event.target.value))}
        error={problem('weight')}
      />
    </DialogForm>
  )
}
