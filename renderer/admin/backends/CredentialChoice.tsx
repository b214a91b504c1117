// Next to an edited URL: whether to send the stored credential to the new origin; operators see a note.

import { Unplug } from 'lucide-react'
import { type ClientDetail, mayUse } from '#contract'
import { useActor } from '../../api/session.ts'
import { t, word } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'

type Credentialed = Pick<ClientDetail, 'credentialOrigins'>

/** The origin that would receive no credential; undefined for an invalid URL or without a credential. */
export function detachedFrom({ credentialOrigins }: Credentialed, url: string): string | undefined {
  if (credentialOrigins === null || !URL.canParse(url)) return undefined
  const { origin } = new URL(url)
  return credentialOrigins.includes(origin) ? undefined : origin
}

export function Origins({ of }: { readonly of: readonly string[] }) {
  if (of.length === 0) return t('no origin')
  return of.map((origin, at) => (
    <span key={origin}>
      {at > 0 && ', '}
      <code className="font-mono text-xs">{origin}</code>
    </span>
  ))
}

export function CredentialChoice({
  backend,
  url,
  keep,
  onKeep,
}: {
  readonly backend: Credentialed
  readonly url: string
  readonly keep: boolean
  readonly onKeep: (keep: boolean) => void
}) {
  const actor = useActor()
  const origin = detachedFrom(backend, url)
  if (origin === undefined) return null
  return (
    <div role="note" className="flex gap-2.5 rounded-md bg-warn-soft px-3 py-2.5 text-sm">
      <Unplug aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
      <div className="grid min-w-0 gap-2">
        <p className="break-words">
          {rich(
            keep
              ? word('The stored credential was given for {origins}. It will also be sent to {other}.')
              : word('The stored credential was given for {origins}. It will not be sent to {other}.'),
            {
              origins: <Origins of={backend.credentialOrigins ?? []} />,
              other: <Origins of={[origin]} />,
            },
          )}
        </p>
        {mayUse(actor, 'admin') ? (
          <Checkbox label={t('Send the credential to {origin}', { origin })} checked={keep} onChange={onKeep} />
        ) : (
          <p className="text-xs text-ink-2">{t('An admin can send it to the new address.')}</p>
        )}
      </div>
    </div>
  )
}
