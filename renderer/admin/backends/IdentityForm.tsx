// The setting of whom a backend is called as. What the standards find by themselves is left empty.

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { IdentityInfo, IdentityInput } from '#contract'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { submitting } from '../../ui/submitting.ts'
import { type Draft, draftOf, type IdentityField, identityOf } from './identity-draft.ts'

type Mode = IdentityInfo['mode']
const OPTIONS: readonly { readonly value: Mode; readonly label: string; readonly about: string }[] = [
  { value: 'none', label: t('No person'), about: t('No credential is sent.') },
  { value: 'shared', label: t('The stored credential'), about: t('The same for everyone.') },
  { value: 'per_principal', label: t('Each person'), about: t('Never another credential than that of the person.') },
  { value: 'exchange', label: t('Token exchange'), about: t('The token of the caller is exchanged (RFC 8693).') },
  { value: 'id_jag', label: t('Identity provider'), about: t('It vouches for the caller (ID-JAG).') },
]

type Input = { readonly field: IdentityField; readonly label: string; readonly hint?: string; readonly secret?: true }
const SCOPES: Input = {
  field: 'scopes',
  label: t('Requested rights'),
  hint: t('Separated by spaces. Leave empty to ask for those that the backend names.'),
}
const SECRET: Input = { field: 'clientSecret', label: t('Client secret'), secret: true }
const AUDIENCE: Input = { field: 'audience', label: t('Audience'), hint: t('Sent as audience. Leave empty for none.') }
const EXCHANGE: readonly Input[] = [
  { field: 'tokenUrl', label: t('Token endpoint') },
  { field: 'clientId', label: t('Client id') },
  SECRET,
  SCOPES,
]
const RESOURCE: Input = { field: 'resource', label: t('Resource'), hint: t('Sent as resource. Leave empty for none.') }
const FIELDS: Readonly<Record<Mode, readonly Input[]>> = {
  none: [],
  shared: [],
  per_principal: [
    { field: 'clientId', label: t('Client id'), hint: t('Leave empty where the gateway registers itself.') },
    SECRET,
    {
      field: 'issuer',
      label: t('Authorization server'),
      hint: t('Leave empty to use the one that the backend names.'),
    },
    SCOPES,
  ],
  exchange: [...EXCHANGE, AUDIENCE, RESOURCE],
  id_jag: [
    ...EXCHANGE,
    RESOURCE,
    { field: 'resourceIssuer', label: t('Authorization server of the backend') },
    { field: 'resourceTokenUrl', label: t('Its token endpoint') },
    { field: 'resourceClientId', label: t('Client id there') },
    { field: 'resourceClientSecret', label: t('Client secret there'), secret: true },
  ],
}
const OVERRIDES: readonly Input[] = [
  AUDIENCE,
  { field: 'authorization', label: t('Authorization endpoint') },
  { field: 'token', label: t('Token endpoint') },
  { field: 'revocation', label: t('Revocation endpoint') },
]

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
  const [draft, setDraft] = useState<Draft>(draftOf(info))
  const save = useMutation({ mutationFn: onSave })
  const fields = (inputs: readonly Input[]) =>
    inputs.map((input) => (
      <IdentityInputField
        key={input.field}
        input={input}
        stored={info[`${input.field === 'resourceClientSecret' ? input.field : 'clientSecret'}Set`]}
        value={draft[input.field]}
        onChange={(text) => setDraft({ ...draft, [input.field]: text })}
      />
    ))
  return (
    <form className="flex flex-col gap-4" onSubmit={submitting(() => save.mutate(identityOf(mode, draft)))}>
      <Select label={t('Called as')} value={mode} options={OPTIONS} onChange={setMode} />
      {fields(FIELDS[mode])}
      {mode === 'per_principal' && (
        <details open={overrides(info)}>
          <summary className="cursor-pointer text-sm font-medium">{t('For providers that differ')}</summary>
          <div className="mt-4 flex flex-col gap-4">
            <Checkbox
              label={t('Send no resource parameter')}
              checked={draft.omitsResource}
              onChange={(omitsResource) => setDraft({ ...draft, omitsResource })}
            />
            {!draft.omitsResource &&
              fields([
                { field: 'resource', label: t('Resource'), hint: t('Leave empty to use what the backend names.') },
              ])}
            {fields(OVERRIDES)}
          </div>
        </details>
      )}
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

const overrides = ({ mode, resource, audience, endpoints }: IdentityInfo): boolean =>
  mode === 'per_principal' && (resource !== 'discovered' || audience !== null || endpoints !== null)

function IdentityInputField({
  input: { label, hint, secret },
  stored,
  value,
  onChange,
}: {
  readonly input: Input
  /** Whether the secret is stored. */
  readonly stored: boolean
  readonly value: string
  readonly onChange: (text: string) => void
}) {
  const kept = stored ? t('Set. Leave empty to keep it.') : t('Stored encrypted and never shown again.')
  return (
    <Field
      label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      hint={secret ? kept : hint}
      {...(secret && { type: 'password', autoComplete: 'off' })}
    />
  )
}
