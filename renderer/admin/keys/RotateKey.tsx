// A new value for a key, with a time in which both work.
import { useState } from 'react'
import { z } from 'zod'
import type { KeyRecord } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { RecordForm } from '../../ui/form/RecordForm.tsx'
import { type Shown, ShownOnce } from './ShownOnce.tsx'
import { useKeyChanges } from './use-key-changes.ts'

const FORM = formOf(z.object({ grace: z.enum(['0', '3600000', '86400000', '604800000']).default('86400000') }), {
  grace: {
    label: 'The old value stops working',
    options: {
      // Names that are whole numbers come in the order of the numbers.
      '0': { label: 'At once', about: 'For a value that got into the wrong hands' },
      '3600000': 'In an hour',
      '86400000': 'In a day',
      '604800000': 'In a week',
    },
  },
})

export function RotateKey({ target, onClose }: { readonly target: KeyRecord | null; readonly onClose: () => void }) {
  return (
    <Dialog
      open={target !== null}
      onClose={onClose}
      title={`New value for “${target?.label ?? ''}”`}
      about="What it reaches stays as it is."
      width="max-w-lg"
    >
      {target && <Body target={target} onClose={onClose} />}
    </Dialog>
  )
}

function Body({ target, onClose }: { readonly target: KeyRecord; readonly onClose: () => void }) {
  const { rotate } = useKeyChanges()
  const [shown, setShown] = useState<Shown | null>(null)
  if (shown) return <ShownOnce shown={shown} onClose={onClose} />
  return (
    <RecordForm
      form={FORM}
      submit="Make a new value"
      once
      onSubmit={({ grace }) => rotate(target, Number(grace))}
      onDone={setShown}
      onClose={onClose}
    />
  )
}
