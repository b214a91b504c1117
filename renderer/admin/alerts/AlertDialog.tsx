// An alert rule, new or not: what it watches, whom it tells, and what it would have told in the last day.
import { ALERT_EVENTS, AlertInput, type AlertRule } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { ConflictBanner } from '../../ui/SaveBar.tsx'
import { Select } from '../../ui/Select.tsx'
import { digitsOf, useChecked, wholeIn } from '../../ui/use-checked.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { useSending } from '../../ui/use-mounted.ts'
import { FindBackend } from '../backends/FindBackend.tsx'
import { COUNTED, EVENTS, isCounted } from './labels.ts'
import { useAlertChanges } from './use-alert-changes.ts'
import { WouldFire } from './WouldFire.tsx'

type Record = Omit<AlertInput, 'enabled'> & { readonly revision: number | null }

const NONE: Record = {
  name: '',
  eventType: 'error_rate',
  webhookUrl: '',
  threshold: null,
  minCalls: null,
  client: null,
  revision: null,
}

type Props = {
  /** Absent for a new one. */
  readonly rule: AlertRule | undefined
  readonly onClose: () => void
}

export function AlertDialog({ open, ...props }: Props & { readonly open: boolean }) {
  const { rule, onClose } = props
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={rule ? `Change ${rule.name}` : 'New alert rule'}
      about="When it begins to hold its webhook is told, once; and again when more backends are affected."
      width="max-w-lg"
    >
      {open && <Form {...props} />}
    </Dialog>
  )
}

const draftOf = ({ name, eventType, webhookUrl, threshold, minCalls, client }: Record) => ({
  name,
  eventType,
  webhookUrl,
  threshold: String(threshold ?? ''),
  minCalls: String(minCalls ?? ''),
  client,
})

function Form({ rule, onClose }: Props) {
  const { create, change } = useAlertChanges()
  const kept = useDraft<Record, ReturnType<typeof draftOf>>(rule ?? NONE, draftOf)
  const { draft, setDraft, base } = kept
  const { eventType, client } = draft
  const counts = isCounted(eventType) ? eventType : null
  const input = {
    name: draft.name.trim(),
    eventType,
    webhookUrl: draft.webhookUrl.trim(),
    // What another event was asked is not asked of this one.
    threshold: counts && draft.threshold !== '' ? Number(draft.threshold) : null,
    minCalls: counts && wholeIn(draft.minCalls),
    client,
    enabled: rule?.enabled ?? true,
  }
  const save = useSending<AlertInput, unknown>(
    ({ eventType: event, ...rest }) =>
      rule
        ? change({ ...rule, ...base, revision: base.revision ?? rule.revision }, rest)
        : create({ eventType: event, ...rest }),
    onClose,
  )
  const { problem, submit } = useChecked(AlertInput, input, save.error)
  const contested = kept.contested && !save.isPending
  return (
    <DialogForm
      submit={rule ? 'Save' : 'Add'}
      busy={save.isPending}
      ready={input.name !== '' && input.webhookUrl !== '' && !contested}
      error={save.error}
      onSubmit={() => submit(save.mutate)}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={draft.name}
        autoComplete="off"
        placeholder="Payments fail"
        onChange={(event) => setDraft({ ...draft, name: event.target.value })}
        error={problem('name')}
      />
      {!rule && (
        <Select
          label="Tells when"
          value={eventType}
          options={ALERT_EVENTS.map((value) => ({ value, ...EVENTS[value] }))}
          onChange={(value) => setDraft({ ...draft, eventType: value, threshold: '' })}
        />
      )}
      <FindBackend
        label="Of"
        every
        name={client ?? ''}
        onPick={(name) => setDraft({ ...draft, client: name === '' ? null : name })}
        error={problem('client')}
      />
      {counts && (
        <div className="grid grid-cols-2 gap-4">
          <Field
            label={COUNTED[counts].label}
            value={draft.threshold}
            inputMode="decimal"
            placeholder={COUNTED[counts].usual}
            hint={COUNTED[counts].hint}
            onChange={(event) => setDraft({ ...draft, threshold: event.target.value.replaceAll(/[^\d.]/g, '') })}
            error={problem('threshold')}
          />
          <Field
            label="Calls at least"
            value={draft.minCalls}
            inputMode="numeric"
            placeholder={counts === 'error_rate' ? '10' : '20'}
            hint="Fewer say nothing."
            onChange={(event) => setDraft({ ...draft, minCalls: digitsOf(event.target.value) })}
            error={problem('minCalls')}
          />
        </div>
      )}
      <Field
        label="Webhook"
        value={draft.webhookUrl}
        spellCheck={false}
        autoComplete="off"
        placeholder="https://hooks.example/alerts"
        hint="Told by a POST. The address is checked and pinned when it is saved."
        onChange={(event) => setDraft({ ...draft, webhookUrl: event.target.value })}
        error={problem('webhookUrl')}
      />
      {counts && (
        <WouldFire
          asked={{ eventType: counts, threshold: input.threshold, minCalls: input.minCalls }}
          client={client}
        />
      )}
      <ConflictBanner kept={{ ...kept, contested }} what={rule?.name ?? ''} />
    </DialogForm>
  )
}
