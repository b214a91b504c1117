// A new key: whom it is for, what it reaches, how long it lives; then its value, once.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isSuperadmin } from '#contract'
import { useActor } from '../../api/session.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { fieldProblem } from '../../ui/fault.ts'
import { Select } from '../../ui/Select.tsx'
import { PickBackends } from '../backends/PickBackends.tsx'
import { PickBundle } from '../bundles/PickBundle.tsx'
import { type Reach, scopesOf } from './reach.ts'
import { type Shown, ShownOnce } from './ShownOnce.tsx'
import { useKeyChanges } from './use-key-changes.ts'

const REACHES = [
  { value: 'bundle', label: 'One bundle', about: 'The safest: exactly the tools the bundle lists' },
  { value: 'clients', label: 'Some backends', about: 'All tools of the ones you tick' },
  { value: 'all', label: 'Everything', about: 'Every backend and bundle, also those to come' },
] as const

const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: 'never', label: 'No end' },
] as const
const DAY_MS = 86_400_000

export function NewKey({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="New key" width="max-w-lg">
      {open && <Body onClose={onClose} />}
    </Dialog>
  )
}

function Body({ onClose }: { readonly onClose: () => void }) {
  const [shown, setShown] = useState<Shown | null>(null)
  return shown ? <ShownOnce shown={shown} onClose={onClose} /> : <Form onMade={setShown} onClose={onClose} />
}

function Form({ onMade, onClose }: { readonly onMade: (shown: Shown) => void; readonly onClose: () => void }) {
  const actor = useActor()
  const { create } = useKeyChanges()
  const [label, setLabel] = useState('')
  const [reach, setReach] = useState<Reach>({ kind: 'bundle', name: '' })
  const [lifetime, setLifetime] = useState<(typeof LIFETIMES)[number]['value']>('90')
  const [elevated, setElevated] = useState(false)
  const save = useMutation({
    mutationFn: () =>
      create({
        label,
        scopes: scopesOf(reach),
        expiresAt: lifetime === 'never' ? null : new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString(),
        elevated,
      }),
    onSuccess: onMade,
  })
  const ready =
    label.trim() !== '' &&
    (reach.kind !== 'bundle' || reach.name !== '') &&
    (reach.kind !== 'clients' || reach.names.length > 0)
  return (
    <DialogForm
      submit="Mint key"
      busy={save.isPending}
      ready={ready}
      once
      error={save.error}
      onSubmit={save.mutate}
      onClose={onClose}
    >
      <Field
        label="Label"
        value={label}
        required
        maxLength={128}
        placeholder="Claude Code on Maria’s laptop"
        hint="Whom it is for: you will want to know when you end it."
        onChange={(event) => setLabel(event.target.value)}
        error={fieldProblem(save.error, 'label')}
      />
      <Select
        label="Reaches"
        value={reach.kind}
        options={REACHES}
        onChange={(kind) =>
          setReach(kind === 'all' ? { kind } : kind === 'bundle' ? { kind, name: '' } : { kind, names: [] })
        }
      />
      {reach.kind === 'bundle' && (
        <PickBundle name={reach.name} onPick={(name) => setReach({ kind: 'bundle', name })} />
      )}
      {reach.kind === 'clients' && (
        <PickBackends names={reach.names} onPick={(names) => setReach({ kind: 'clients', names })} />
      )}
      <Select label="Lives" value={lifetime} options={LIFETIMES} onChange={setLifetime} />
      {isSuperadmin(actor) && (
        <Checkbox
          label="Elevated: sensitive tools do not ask it to confirm"
          checked={elevated}
          onChange={setElevated}
        />
      )}
    </DialogForm>
  )
}
