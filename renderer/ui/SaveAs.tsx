// Names a filter or arguments to save in this browser.
import { z } from 'zod'
import { t } from '../language/language.ts'
import { formOf } from './form/fields.ts'
import { RecordDialog } from './form/RecordForm.tsx'

const named = (example: string) =>
  formOf(z.object({ name: z.string().trim().min(1).max(60) }), {
    name: { label: t('Name'), placeholder: example, hint: t('An existing name is replaced.') },
  })

export function SaveAs({
  example,
  onName,
  ...dialog
}: {
  readonly open: boolean
  readonly title: string
  readonly about: string
  readonly example: string
  readonly onClose: () => void
  readonly onName: (name: string) => void
}) {
  return (
    <RecordDialog {...dialog} form={named(example)} submit={t('Save')} onSubmit={async ({ name }) => onName(name)} />
  )
}
