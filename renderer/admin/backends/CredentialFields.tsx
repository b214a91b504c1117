// The fields of a credential, by kind.
import type { UpstreamAuthInput } from '#contract'
import { t } from '../../language/language.ts'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'

type Kind = 'none' | UpstreamAuthInput['type']
export type CredentialDraft = { readonly kind: Kind; readonly name: string; readonly secret: string }

export const draftOf = (kind: Kind): CredentialDraft => ({ kind, name: '', secret: '' })

/** The credential; undefined while incomplete. */
export function inputOf({ kind, name, secret }: CredentialDraft): UpstreamAuthInput | undefined {
  if (secret === '') return undefined
  if (kind === 'bearer') return { type: 'bearer', token: secret }
  if (name === '') return undefined
  if (kind === 'basic') return { type: 'basic', username: name, password: secret }
  if (kind === 'header') return { type: 'header', headerName: name, value: secret }
  if (kind === 'query') return { type: 'query', paramName: name, value: secret }
  return undefined
}

const KINDS = [
  { value: 'none', label: t('None') },
  { value: 'bearer', label: t('Bearer token'), about: t('Authorization: Bearer …') },
  { value: 'basic', label: t('User name and password'), about: t('Authorization: Basic …') },
  { value: 'header', label: t('A header'), about: t('Such as X-API-Key') },
  { value: 'query', label: t('A query parameter'), about: t('Such as ?api_key=…') },
] as const

const NAMES = { basic: t('User name'), header: t('Header name'), query: t('Parameter') } as const

export function CredentialFields({
  draft,
  onChange,
}: {
  readonly draft: CredentialDraft
  readonly onChange: (draft: CredentialDraft) => void
}) {
  return (
    <>
      <Select label={t('Credential')} value={draft.kind} options={KINDS} onChange={(kind) => onChange(draftOf(kind))} />
      {draft.kind !== 'none' && draft.kind !== 'bearer' && (
        <Field
          label={NAMES[draft.kind]}
          value={draft.name}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ ...draft, name: event.target.value })}
        />
      )}
      {draft.kind !== 'none' && (
        <Field
          label={draft.kind === 'bearer' ? t('Token') : draft.kind === 'basic' ? t('Password') : t('Value')}
          type="password"
          value={draft.secret}
          autoComplete="new-password"
          hint={t('Stored encrypted. It is not shown again.')}
          onChange={(event) => onChange({ ...draft, secret: event.target.value })}
        />
      )}
    </>
  )
}
