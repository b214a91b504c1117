// The second server of a backend: a canary or a failover.
import { X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type Canary, CanaryInput, type ClientDetail } from '#contract'
import { Button, IconButton } from '../../ui/Button.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { type DialogProps, RecordDialog } from '../../ui/form/RecordForm.tsx'
import { formatCount, formatShare } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { Switch } from '../../ui/Switch.tsx'
import { KeepCredential, keepField, keepsCredential, SERVER_URL } from './credential-field.tsx'
import { useServerChanges } from './use-server-changes.ts'

const MODES = {
  canary: { label: 'Canary', about: 'Takes a share of the calls' },
  failover: { label: 'Failover', about: 'Takes all calls while the primary server is unreachable' },
} as const

export function SecondServer({
  backend,
  canary,
  idle,
  readOnly,
}: {
  readonly backend: ClientDetail
  readonly canary: Canary | null
  /** With a pool, the second server is not used. */
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
            Use a canary for a share of the calls, or a failover while the primary server is unreachable.
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
      <EditServer backend={backend} canary={canary} open={editing} onClose={() => setEditing(false)} />
    </section>
  )
}

function EditServer({
  backend,
  canary,
  ...dialog
}: DialogProps & {
  readonly backend: ClientDetail
  readonly canary: Canary | null
}) {
  const { name } = backend
  const { setCanary } = useServerChanges(name)
  const form = useMemo(
    () =>
      formOf(CanaryInput.extend({ keepCredential: KeepCredential }), {
        secondaryBaseUrl: SERVER_URL,
        keepCredential: keepField(backend, 'secondaryBaseUrl'),
        mode: { label: 'Mode', options: MODES },
        weight: { label: 'Share of the calls, in percent', when: ({ mode }) => mode === 'canary', always: true },
      }),
    [backend],
  )
  return (
    <RecordDialog
      {...dialog}
      title={`The second server of ${name}`}
      about="The backend’s limits apply to it too. It receives the stored credential only if its origin is allowed."
      width="max-w-lg"
      form={form}
      record={canary ?? undefined}
      submit={canary ? 'Save' : 'Set'}
      what={`the second server of ${name}`}
      onSubmit={({ keepCredential, ...input }, base) =>
        setCanary(base ?? null, input, keepsCredential(backend, input.secondaryBaseUrl, keepCredential))
      }
    />
  )
}
