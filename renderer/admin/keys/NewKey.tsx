// Creates a key: label, access, expiry; then shows its value once.
import { z } from 'zod'
import { API, isSuperadmin } from '#contract'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { type FieldWords, formOf } from '../../ui/form/fields.ts'
import { expiryOf, LIFETIMES, UNTIL } from '../../ui/form/lifetime.tsx'
import { type DialogProps, RecordDialog } from '../../ui/form/RecordForm.tsx'
import { ACCESS_OPTIONS, PERSON, REACHED } from './access-fields.tsx'
import { type Reach, scopesOf } from './reach.ts'
import { ShownOnce } from './ShownOnce.tsx'
import { useKeyChanges } from './use-key-changes.ts'

const { label, elevated, person } = API.mcpKeys.create.body.shape
const { '30': month, '90': quarter, '365': year, date, never } = LIFETIMES
const KeyChoice = z.object({
  label,
  access: z.enum(['bundle', 'clients', 'all']).default('bundle'),
  bundle: z.string().default(''),
  clients: z.array(z.string()).default([]),
  lifetime: z.enum(['30', '90', '365', 'date', 'never']).default('90'),
  until: z.string().default(''),
  person,
  elevated,
})
type KeyChoice = z.output<typeof KeyChoice>

const TABLE = {
  label: {
    label: t('Label'),
    placeholder: t('Claude Code on Maria’s laptop'),
    hint: t('Who or what uses this key: you will need this when you revoke it.'),
  },
  access: {
    label: t('Access'),
    options: {
      ...ACCESS_OPTIONS,
      bundle: { ...ACCESS_OPTIONS.bundle, about: t('Safest: exactly the tools in the bundle') },
    },
    resets: ['bundle', 'clients'],
  },
  ...REACHED,
  lifetime: {
    label: t('Expires'),
    options: { '30': month, '90': quarter, '365': year, date, never },
    resets: ['until'],
  },
  until: UNTIL,
  person: PERSON,
} as const satisfies Readonly<Partial<Record<keyof KeyChoice, FieldWords>>>

const FORM = formOf(KeyChoice, TABLE)
const ELEVATED_FORM = formOf(KeyChoice, {
  ...TABLE,
  elevated: { label: t('Skip confirmation for sensitive tools') },
})

function reachOf({ access, bundle, clients }: KeyChoice): Reach {
  if (access === 'all') return { kind: 'all' }
  return access === 'bundle' ? { kind: 'bundle', name: bundle } : { kind: 'clients', names: clients }
}

export function NewKey({ open, onClose }: DialogProps) {
  const mayElevate = isSuperadmin(useActor())
  const { create } = useKeyChanges()
  return (
    <RecordDialog
      open={open}
      onClose={onClose}
      title={t('New key')}
      width="max-w-lg"
      form={mayElevate ? ELEVATED_FORM : FORM}
      submit={t('Mint key')}
      once
      onSubmit={(chosen) =>
        create({
          label: chosen.label,
          scopes: scopesOf(reachOf(chosen)),
          expiresAt: expiryOf(chosen.lifetime, Date.now(), chosen.until),
          person: chosen.person,
          elevated: chosen.elevated,
        })
      }
      renderDone={(made) => <ShownOnce shown={made} onClose={onClose} />}
    />
  )
}
