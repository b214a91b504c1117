// Where a person edits an address: whether the stored credential is sent to another origin, and what an operator is told instead.
import { type ClientDetail, mayUse } from '#contract'
import { useActor } from '../../api/session.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'

type Credentialed = Pick<ClientDetail, 'credentialOrigins'>

/** The origin that would be called without the credential; undefined while the address is none, or there is nothing to send. */
export function detachedFrom({ credentialOrigins }: Credentialed, url: string): string | undefined {
  if (credentialOrigins === null || !URL.canParse(url)) return undefined
  const { origin } = new URL(url)
  return credentialOrigins.includes(origin) ? undefined : origin
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
  const given = backend.credentialOrigins?.join(', ') || 'no origin'
  return (
    <div role="note" className="grid gap-2 rounded-md bg-warn-soft px-3 py-2.5 text-sm">
      <p className="break-words">
        The stored credential was given for {given}. {origin} is called without it.
      </p>
      {mayUse(actor, 'admin') ? (
        <Checkbox label={`Send the credential to ${origin}`} checked={keep} onChange={onKeep} />
      ) : (
        <p className="text-xs text-ink-2">An admin can send it to the new address.</p>
      )}
    </div>
  )
}
