// What a key reaches, as fields of a form: one bundle, some backends, or everything.
import { type FieldWords, textIn } from '../../ui/form/fields.ts'
import { PickBackends } from '../backends/PickBackends.tsx'
import { PickBundle } from '../bundles/PickBundle.tsx'

export const ACCESS_OPTIONS = {
  bundle: { label: 'One bundle', about: 'Exactly the tools in the bundle' },
  clients: { label: 'Some backends', about: 'All tools of the selected backends' },
  all: { label: 'Everything', about: 'All backends and bundles, including future ones' },
} as const

/** The fields that a choice of access shows. */
export const REACHED = {
  bundle: {
    label: 'Bundle',
    when: ({ access }) => access === 'bundle',
    needed: true,
    draw: ({ value, onChange }) => <PickBundle name={textIn(value)} onPick={onChange} />,
  },
  clients: {
    label: 'Backends',
    when: ({ access }) => access === 'clients',
    needed: true,
    draw: ({ value, onChange }) => <PickBackends names={Array.isArray(value) ? value : []} onPick={onChange} />,
  },
} as const satisfies Readonly<Record<string, FieldWords>>
