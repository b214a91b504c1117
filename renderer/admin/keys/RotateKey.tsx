// Rotates a key, with a grace period for the old value.
import { z } from 'zod'
import type { KeyRecord } from '#contract'
import { t } from '../../language/language.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { RecordForm } from '../../ui/form/RecordForm.tsx'
import { ShownOnce } from './ShownOnce.tsx'
import { useKeyChanges } from './use-key-changes.ts'

const FORM = formOf(z.object({ grace: z.enum(['0', '3600000', '86400000', '604800000']).default('86400000') }), {
  grace: {
    label: t('Old value expires'),
    options: {
      // Integer keys of an object are ordered by number.
      '0': { label: t('At once'), about: t('If the value was leaked') },
      '3600000': t('In an hour'),
      '86400000': t('In a day'),
      '604800000': t('In a week'),
    },
  },
})

export function RotateKey({ target, onClose }: { readonly target: KeyRecord | null; readonly onClose: () => void }) {
  const { rotate } = useKeyChanges()
  return (
    <Dialog
      open={target !== null}
      onClose={onClose}
      title={t('New value for “{value}”', { value: target?.label ?? '' })}
      about={t('Its scopes stay.')}
      width="max-w-lg"
    >
      {target && (
        <RecordForm
          form={FORM}
          submit={t('Rotate key')}
          once
          onSubmit={({ grace }) => rotate(target, Number(grace))}
          renderDone={(rotated) => <ShownOnce shown={rotated} onClose={onClose} />}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}
