// The second server of a backend: it gets a share of the calls, or all of them while the first is away.
import { X } from 'lucide-react'
import { useState } from 'react'
import { type Canary, CanaryInput, type ClientDetail } from '#contract'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { formatCount, formatShare } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { ConflictBanner } from '../../ui/SaveBar.tsx'
import { Select } from '../../ui/Select.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { digitsOf, useChecked } from '../../ui/use-checked.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { useSending } from '../../ui/use-mounted.ts'
import { CredentialChoice, detachedFrom } from './CredentialChoice.tsx'
import { useServerChanges } from './use-server-changes.ts'

const MODES = [
  { value: 'canary', label: 'Canary', about: 'Takes a share of the calls' },
  { value: 'failover', label: 'Failover', about: 'Takes all calls while the first server is unreachable' },
] as const

export function SecondServer({
  backend,
  canary,
  idle,
  readOnly,
}: {
  readonly backend: ClientDetail
  readonly canary: Canary | null
  /** A pool is balanced over: the second server is not asked. */
  readonly idle: boolean
  readonly readOnly: boolean
}) {
  const [editing, setEditing] = useState(false)
  const { turnCanary, clearCanary } = useServerChanges(backend.name)
  return (
    <section aria-label="Second server" className="card flex items-center gap-3 px-6 py-4">
      <div className="min-w-0 grow">
        <h2 className="text-sm font-semibold">
          {canary === null ? 'No second server' : canary.mode === 'canary' ? 'Canary' : 'Failover'}
        </h2>
        {canary === null ? (
          <p className="mt-0.5 text-xs text-ink-2">
            It takes a share of the calls to try it out, or all calls while the first server is unreachable.
          </p>
        ) : (
          <>
            <p className="mt-0.5 text-sm break-all">
              <code className="font-mono text-xs">{canary.secondaryBaseUrl}</code>
              <span className="ml-2 text-xs text-ink-3">{canary.secondaryResolvedIp}</span>
            </p>
            <p className="mt-0.5 text-xs text-ink-2">
              {canary.mode === 'canary' && `${canary.weight} % of the calls. `}
              {canary.stats.calls === 0
                ? 'No calls yet.'
                : `${formatCount(canary.stats.calls)} calls, ${formatShare(canary.stats.errors, canary.stats.calls)} errors.`}
              {idle && ' Not used while calls are balanced over a pool.'}
            </p>
          </>
        )}
      </div>
      {!readOnly && (
        <>
          {canary && (
            <Switch
              label="The second server is on"
              on={canary.enabled}
              onChange={(on) => void turnCanary(canary, on).catch(notifyError)}
            />
          )}
          <Button size="sm" onClick={() => setEditing(true)}>
            {canary ? 'Change…' : 'Set…'}
          </Button>
          {canary && (
            <IconButton
              label="Remove the second server"
              size="sm"
              onClick={() => void clearCanary(canary).catch(notifyError)}
            >
              <X />
            </IconButton>
          )}
        </>
      )}
      <Dialog
        open={editing}
        onClose={() => setEditing(false)}
        title={`The second server of ${backend.name}`}
        about="The limits of the backend apply to it too. It gets the stored credential only if its origin may have it."
        width="max-w-lg"
      >
        {editing && <Form backend={backend} canary={canary} onClose={() => setEditing(false)} />}
      </Dialog>
    </section>
  )
}

/** What is typed is a change of what is there, or of nothing. */
type Base = { readonly canary: Canary | null; readonly revision: number | null }
const baseOf = (canary: Canary | null): Base => ({ canary, revision: canary?.revision ?? null })
const draftOf = ({ canary }: Base) => ({
  secondaryBaseUrl: canary?.secondaryBaseUrl ?? '',
  mode: canary?.mode ?? ('canary' as const),
  weight: String(canary?.weight ?? 10),
})

function Form({
  backend,
  canary,
  onClose,
}: {
  readonly backend: ClientDetail
  readonly canary: Canary | null
  readonly onClose: () => void
}) {
  const { name } = backend
  const { setCanary } = useServerChanges(name)
  const [keep, setKeep] = useState(false)
  const kept = useDraft(baseOf(canary), draftOf)
  const { draft, setDraft, base } = kept
  const detached = detachedFrom(backend, draft.secondaryBaseUrl) !== undefined
  const save = useSending((input: CanaryInput) => setCanary(base.canary, input, detached && keep), onClose)
  const input = { ...draft, weight: Number(draft.weight), enabled: canary?.enabled ?? true }
  const { problem, submit } = useChecked(CanaryInput, input, save.error)
  const contested = kept.contested && !save.isPending
  return (
    <DialogForm
      submit={canary ? 'Save' : 'Set'}
      busy={save.isPending}
      ready={draft.secondaryBaseUrl !== '' && !contested}
      error={save.error}
      onSubmit={() => submit(save.mutate)}
      onClose={onClose}
    >
      <Field
        label="Base URL"
        value={draft.secondaryBaseUrl}
        spellCheck={false}
        autoComplete="off"
        hint="It is checked and pinned when it is saved."
        onChange={(event) => setDraft({ ...draft, secondaryBaseUrl: event.target.value })}
        error={problem('secondaryBaseUrl')}
      />
      <CredentialChoice backend={backend} url={draft.secondaryBaseUrl} keep={keep} onKeep={setKeep} />
      <Select label="Mode" value={draft.mode} options={MODES} onChange={(mode) => setDraft({ ...draft, mode })} />
      {draft.mode === 'canary' && (
        <Field
          label="Share of the calls, in percent"
          value={draft.weight}
          inputMode="numeric"
          onChange={(event) => setDraft({ ...draft, weight: digitsOf(event.target.value) })}
          error={problem('weight')}
        />
      )}
      <ConflictBanner kept={{ ...kept, contested }} what={`the second server of ${name}`} />
    </DialogForm>
  )
}
