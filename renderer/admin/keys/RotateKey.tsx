// A new value for a key, with a time in which both work.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { KeyRecord } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Select } from '../../ui/Select.tsx'
import { type Shown, ShownOnce } from './ShownOnce.tsx'
import { useKeyChanges } from './use-key-changes.ts'

const GRACES = [
  { value: '0', label: 'At once', about: 'For a value that got into the wrong hands' },
  { value: '3600000', label: 'In an hour' },
  { value: '86400000', label: 'In a day' },
  { value: '604800000', label: 'In a week' },
] as const

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
  const [grace, setGrace] = useState<(typeof GRACES)[number]['value']>('86400000')
  const save = useMutation({ mutationFn: () => rotate(target, Number(grace)), onSuccess: setShown })
  if (shown) return <ShownOnce shown={shown} onClose={onClose} />
  return (
    <DialogForm
      submit="Make a new value"
      busy={save.isPending}
      once
      error={save.error}
      onSubmit={save.mutate}
      onClose={onClose}
    >
      <Select label="The old value stops working" value={grace} options={GRACES} onChange={setGrace} />
    </DialogForm>
  )
}
