// The second server of a backend: a canary or a failover.
import { X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type Canary, CanaryInput, type ClientDetail } from '#contract'
import { t } from '../../language/language.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { type DialogProps, RecordDialog } from '../../ui/form/RecordForm.tsx'
import { formatCount, formatShare } from '../../ui/format.ts'
import { Switch } from '../../ui/Switch.tsx'
import { useBusy } from '../../ui/use-busy.ts'
import { KeepCredential, keepField, keepsCredential, SERVER_URL } from './credential-field.tsx'
import { useServerChanges } from './use-server-changes.ts'

const MODES = {
  canary: { label: t('Canary'), about: t('Takes a share of the calls') },
  failover: { label: t('Failover'), about: t('Takes all calls while the primary server is unreachable') },
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
  const [busy, during] = useBusy()
  return (
    <section aria-label={t('Second server')} className="card flex items-center gap-3 px-6 py-4">
      <div className="min-w-0 grow">
        <h2 className="text-sm font-semibold">
          {canary === null ? t('No second server') : canary.mode === 'canary' ? t('Canary') : t('Failover')}
        </h2>
        {canary === null ? (
          <p className="mt-0.5 text-xs text-ink-2">
            {t('Use a canary for a share of the calls, or a failover while the primary server is unreachable.')}
          </p>
        ) : (
          <>
            <p className="mt-0.5 text-sm break-all">
              <code className="font-mono text-xs">{canary.secondaryBaseUrl}</code>
              <span className="ml-2 text-xs text-ink-3">{canary.secondaryResolvedIp}</span>
            </p>
            <p className="mt-0.5 text-xs text-ink-2">
              {[
                canary.mode === 'canary' && t('{weight} % of the calls.', { weight: canary.weight }),
                canary.stats.calls === 0
                  ? t('No calls yet.')
                  : t('{count} calls, {errors} errors.', {
                      count: formatCount(canary.stats.calls),
                      errors: formatShare(canary.stats.errors, canary.stats.calls),
                    }),
                idle && t('Not used while calls are balanced over a pool.'),
              ]
                .filter(Boolean)
                .join(' ')}
            </p>
          </>
        )}
      </div>
      {!readOnly && (
        <>
          {canary && (
            <Switch
              label={t('The second server is on')}
              on={canary.enabled}
              disabled={busy}
              onChange={(on) => during(turnCanary(canary, on))}
            />
          )}
          <Button size="sm" disabled={busy} onClick={() => setEditing(true)}>
            {canary ? t('Change…') : t('Set…')}
          </Button>
          {canary && (
            <IconButton
              label={t('Remove the second server')}
              size="sm"
              disabled={busy}
              onClick={() => during(clearCanary(canary))}
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
        mode: { label: t('Mode'), options: MODES },
        weight: { label: t('Share of the calls, in percent'), when: ({ mode }) => mode === 'canary', always: true },
      }),
    [backend],
  )
  return (
    <RecordDialog
      {...dialog}
      title={t('The second server of {name}', { name })}
      about={t(
        'The backend’s limits apply to it too. It receives the stored credential only if its origin is allowed.',
      )}
      width="max-w-lg"
      form={form}
      record={canary ?? undefined}
      submit={canary ? t('Save') : t('Set')}
      what={t('the second server of {name}', { name })}
      onSubmit={({ keepCredential, ...input }, base) =>
        setCanary(base ?? null, input, keepsCredential(backend, input.secondaryBaseUrl, keepCredential))
      }
    />
  )
}
