// A WebSocket target, new or not: its address, and how much of it there may be at a time.
import { type WsTarget, WsTargetInput } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { ConflictBanner } from '../../ui/SaveBar.tsx'
import { digitsOf, useChecked, wholeIn } from '../../ui/use-checked.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { useSending } from '../../ui/use-mounted.ts'
import { useWsTargetChanges } from './use-ws-target-changes.ts'

type Record = Pick<WsTarget, 'name' | 'backendWsUrl'> & { readonly revision: number | null } & {
  readonly [K in (typeof LIMITS)[number]['key']]: number | null
}

const LIMITS = [
  { key: 'maxConnections', label: 'Connections at most', hint: 'At a time.' },
  { key: 'maxMessageBytes', label: 'Largest message, in bytes', hint: 'A larger one ends its connection.' },
  { key: 'idleTimeoutMs', label: 'Ends when idle for, in ms', hint: 'Without a message either way.' },
] as const

const NONE: Record = {
  name: '',
  backendWsUrl: '',
  revision: null,
  maxConnections: null,
  maxMessageBytes: null,
  idleTimeoutMs: null,
}

type Props = {
  /** Absent for a new one. */
  readonly target: WsTarget | undefined
  readonly onClose: () => void
}

export function WsTargetDialog({ open, ...props }: Props & { readonly open: boolean }) {
  const { target, onClose } = props
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={target ? `Change ${target.name}` : 'New WebSocket target'}
      about={
        target
          ? 'A change closes its connections; clients open them again.'
          : 'Clients connect to the gateway, which checks their key and passes the messages on.'
      }
      width="max-w-lg"
    >
      {open && <Form {...props} />}
    </Dialog>
  )
}

const draftOf = ({ name, backendWsUrl, ...record }: Record) => ({
  name,
  backendWsUrl,
  ...(Object.fromEntries(LIMITS.map(({ key }) => [key, String(record[key] ?? '')])) as {
    // One text for each limit of the table.
    readonly [K in (typeof LIMITS)[number]['key']]: string
  }),
})

function Form({ target, onClose }: Props) {
  const { create, change } = useWsTargetChanges()
  const kept = useDraft<Record, ReturnType<typeof draftOf>>(target ?? NONE, draftOf)
  const { draft, setDraft, base } = kept
  const input = {
    name: draft.name.trim(),
    backendWsUrl: draft.backendWsUrl.trim(),
    maxConnections: wholeIn(draft.maxConnections),
    maxMessageBytes: wholeIn(draft.maxMessageBytes),
    idleTimeoutMs: wholeIn(draft.idleTimeoutMs),
  }
  const save = useSending<WsTargetInput, unknown>(
    ({ name, ...rest }) =>
      target
        ? change({ ...target, ...base, revision: base.revision ?? target.revision }, rest)
        : create({ name, ...rest }),
    onClose,
  )
  const { problem, submit } = useChecked(WsTargetInput, { ...input, enabled: target?.enabled ?? true }, save.error)
  const contested = kept.contested && !save.isPending
  return (
    <DialogForm
      submit={target ? 'Save' : 'Add'}
      busy={save.isPending}
      ready={input.name !== '' && input.backendWsUrl !== '' && !contested}
      error={save.error}
      onSubmit={() => submit(save.mutate)}
      onClose={onClose}
    >
      {!target && (
        <Field
          label="Name"
          value={draft.name}
          spellCheck={false}
          autoComplete="off"
          placeholder="prices"
          hint="Clients connect to /ws-proxy/ and this name."
          onChange={(event) => setDraft({ ...draft, name: event.target.value })}
          error={problem('name')}
        />
      )}
      <Field
        label="Address"
        value={draft.backendWsUrl}
        spellCheck={false}
        autoComplete="off"
        placeholder="wss://prices.example/feed"
        hint="It is checked and pinned when it is saved."
        onChange={(event) => setDraft({ ...draft, backendWsUrl: event.target.value })}
        error={problem('backendWsUrl')}
      />
      {LIMITS.map(({ key, label, hint }) => (
        <Field
          key={key}
          label={label}
          value={draft[key]}
          inputMode="numeric"
          placeholder="as the gateway is set"
          hint={hint}
          onChange={(event) => setDraft({ ...draft, [key]: digitsOf(event.target.value) })}
          error={problem(key)}
        />
      ))}
      <ConflictBanner kept={{ ...kept, contested }} what={target?.name ?? ''} />
    </DialogForm>
  )
}
