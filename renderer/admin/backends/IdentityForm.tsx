// The setting of whom a backend is called as. What the standards find by themselves is left empty.
import { useMutation } from '@tanstack/react-query'
import { type ChangeEvent, useState } from 'react'
import type { IdentityInfo, IdentityInput } from '#contract'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'

type Mode = IdentityInfo['mode']
type Option = { readonly value: Mode; readonly label: string; readonly about: string }
const OPTIONS: readonly Option[] = [
  { value: 'none', label: t('No person'), about: t('No credential is sent.') },
  { value: 'shared', label: t('The stored credential'), about: t('The same for everyone.') },
  { value: 'per_principal', label: t('Each person'), about: t('Never another credential than that of the person.') },
]
/** Their many addresses are set over the API; here they can only be left. */
const ABOUT_API = t('Its settings are changed over the API.')
const API_ONLY: readonly Option[] = [
  { value: 'exchange', label: t('Token exchange'), about: ABOUT_API },
  { value: 'id_jag', label: t('Identity provider'), about: ABOUT_API },
]

type Draft = Readonly<Record<'clientId' | 'secret' | 'issuer' | 'scopes', string>>

const textOr = (text: string): string | null => (text.trim() === '' ? null : text.trim())

export function IdentityForm({
  info,
  onSave,
  onClose,
}: {
  readonly info: IdentityInfo
  readonly onSave: (input: IdentityInput) => Promise<void>
  readonly onClose: () => void
}) {
  const [mode, setMode] = useState(info.mode)
  const kept = API_ONLY.find(({ value }) => value === info.mode)
  const [draft, setDraft] = useState<Draft>({
    clientId: info.clientId ?? '',
    secret: '',
    issuer: info.issuer ?? '',
    scopes: info.scopes?.join(' ') ?? '',
  })
  const save = useMutation({ mutationFn: onSave })
  const input = (): IdentityInput | undefined => {
    if (mode === 'none' || mode === 'shared') return { mode }
    if (mode !== 'per_principal') return undefined
    const { clientId, secret, issuer, scopes } = draft
    const listed = textOr(scopes)?.split(/\s+/) ?? null
    return {
      mode,
      clientId: textOr(clientId),
      ...(secret === '' ? {} : { clientSecret: secret }),
      issuer: textOr(issuer),
      scopes: listed,
      resource: info.resource ?? 'discovered',
      audience: info.audience,
      endpoints: info.endpoints,
    }
  }
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        const changed = input()
        if (changed === undefined) onClose()
        else save.mutate(changed)
      }}
    >
      <Select label={t('Called as')} value={mode} options={kept ? [...OPTIONS, kept] : OPTIONS} onChange={setMode} />
      {mode === 'per_principal' && <ClientFields info={info} draft={draft} onChange={setDraft} />}
      {save.error && <ErrorNote error={save.error} />}
      <footer className="flex justify-end gap-2">
        <Button onClick={onClose} type="button">
          {t('Cancel')}
        </Button>
        <Button type="submit" look="strong" busy={save.isPending}>
          {t('Save identity')}
        </Button>
      </footer>
    </form>
  )
}

function ClientFields({
  info,
  draft,
  onChange,
}: {
  readonly info: IdentityInfo
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
}) {
  const set =
    (name: keyof Draft) =>
    (event: ChangeEvent<HTMLInputElement>): void =>
      onChange({ ...draft, [name]: event.target.value })
  return (
    <>
      <Field
        label={t('Client id')}
        value={draft.clientId}
        onChange={set('clientId')}
        hint={t('Leave empty where the gateway registers itself.')}
      />
      <Field
        label={t('Client secret')}
        type="password"
        autoComplete="off"
        value={draft.secret}
        onChange={set('secret')}
        hint={info.clientSecretSet ? t('Set. Leave empty to keep it.') : t('Stored encrypted and never shown again.')}
      />
      <Field
        label={t('Authorization server')}
        value={draft.issuer}
        onChange={set('issuer')}
        hint={t('Leave empty to use the one that the backend names.')}
      />
      <Field
        label={t('Requested rights')}
        value={draft.scopes}
        onChange={set('scopes')}
        hint={t('Separated by spaces. Leave empty to ask for those that the backend names.')}
      />
    </>
  )
}
