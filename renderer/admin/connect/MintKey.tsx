// Mints the key of a client in place: label and expiry are suggested.

import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { KeyRecord } from '#contract'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { expiryOf, LIFETIMES } from '../../ui/form/lifetime.tsx'
import { Select } from '../../ui/Select.tsx'
import { submitting } from '../../ui/submitting.ts'
import { useSubmit } from '../../ui/use-mounted.ts'
import { useKeyChanges } from '../keys/use-key-changes.ts'

export type Minted = KeyRecord & { readonly key: string }

const DAYS = ['30', '90', '365', 'never'] as const
type Days = (typeof DAYS)[number]
const EXPIRIES = DAYS.map((value) => ({ value, label: LIFETIMES[value] }))

export function MintKey({
  label: suggested,
  scopes,
  onMinted,
}: {
  readonly label: string
  readonly scopes: NonNullable<KeyRecord['scopes']>
  readonly onMinted: (minted: Minted) => void
}) {
  const { create } = useKeyChanges()
  const [own, setOwn] = useState<string | null>(null)
  const [days, setDays] = useState<Days>('90')
  const label = own ?? suggested
  const mint = useSubmit(() => create({ label, scopes, expiresAt: expiryOf(days, Date.now()) }), onMinted)
  return (
    <form className="flex flex-wrap items-end gap-3" onSubmit={submitting(() => mint.mutate(undefined))}>
      <div className="w-72">
        <Field label={t('Key label')} value={label} maxLength={128} onChange={(event) => setOwn(event.target.value)} />
      </div>
      <Select label={t('Expires')} className="w-36" value={days} options={EXPIRIES} onChange={setDays} />
      <Button type="submit" look="strong" busy={mint.isPending} disabled={label.trim() === ''}>
        <KeyRound />
        {t('Mint key and fill in')}
      </Button>
      {mint.error && <ErrorNote error={mint.error} className="w-full" />}
    </form>
  )
}
