// Servers called without the backend's credential; an admin can send it to the primary server.
import { useMutation } from '@tanstack/react-query'
import { Unplug } from 'lucide-react'
import { type ClientDetail, mayUse } from '#contract'
import { useActor } from '../../api/session.ts'
import { t, word } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Button } from '../../ui/Button.tsx'
import { useAsk } from '../../ui/Dialog.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { Origins } from './CredentialChoice.tsx'
import { useBackendChanges } from './use-backend-changes.ts'

export function CredentialDetached({ backend }: { readonly backend: ClientDetail }) {
  const actor = useActor()
  const { update } = useBackendChanges()
  const ask = useAsk()
  const own = URL.canParse(backend.baseUrl) ? new URL(backend.baseUrl).origin : ''
  const send = useMutation({
    mutationFn: () => update(backend, { keepCredential: true }),
    onSuccess: () => notifyDone(t('The credential is sent to {own}', { own })),
    onError: notifyError,
  })
  const { credentialDetached: detached, credentialOrigins } = backend
  if (detached.length === 0) return null
  return (
    <section
      aria-label={t('Detached credential')}
      className="flex max-w-5xl items-center gap-3 rounded-md bg-warn-soft px-4 py-3"
    >
      <Unplug aria-hidden className="size-5 shrink-0 text-warn" />
      <div className="min-w-0 grow">
        <p className="text-sm font-medium">{t('Credential detached')}</p>
        <p className="text-xs break-words text-ink-2">
          {rich(
            mayUse(actor, 'admin')
              ? word('Calls to {origins} carry no credential. It was given for {given}.')
              : word(
                  'Calls to {origins} carry no credential. It was given for {given}. An admin can send it to the new address.',
                ),
            {
              origins: <Origins of={detached} />,
              given: <Origins of={credentialOrigins ?? []} />,
            },
          )}
        </p>
      </div>
      {mayUse(actor, 'admin') && detached.includes(own) && (
        <Button
          busy={send.isPending}
          onClick={() =>
            ask({
              title: t('Send the credential to this address?'),
              about: t(
                'Every call to {own} carries the stored credential from then on. Check that the address belongs to the service the credential is for.',
                { own },
              ),
              confirm: t('Send credential'),
              run: async () => {
                await send.mutateAsync()
              },
            })
          }
        >
          {t('Send to {host}…', { host: new URL(own).host })}
        </Button>
      )}
    </section>
  )
}
