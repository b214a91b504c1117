// What a key reaches, as fields of a form: one bundle, some backends, or everything.

import { t } from '../../language/language.ts'
import { type FieldWords, textIn } from '../../ui/form/fields.ts'
import { PickBackends } from '../backends/PickBackends.tsx'
import { PickBundle } from '../bundles/PickBundle.tsx'

export const ACCESS_OPTIONS = {
  bundle: { label: t('One bundle'), about: t('Exactly the tools in the bundle') },
  clients: { label: t('Some backends'), about: t('All tools of the selected backends') },
  all: { label: t('Everything'), about: t('All backends and bundles, including future ones') },
} as const

/** Whose calls those of a key are. */
export const PERSON = {
  label: t('Acts as'),
  hint: t('The user name of a person, for backends that are called as each person.'),
} as const satisfies FieldWords

/** The fields that a choice of access shows. */
export const REACHED = {
  bundle: {
    label: t('Bundle'),
    when: ({ access }) => access === 'bundle',
    needed: true,
    draw: ({ value, onChange }) => <PickBundle name={textIn(value)} onPick={onChange} />,
  },
  clients: {
    label: t('Backends'),
    when: ({ access }) => access === 'clients',
    needed: true,
    draw: ({ value, onChange }) => <PickBackends names={Array.isArray(value) ? value : []} onPick={onChange} />,
  },
} as const satisfies Readonly<Record<string, FieldWords>>
