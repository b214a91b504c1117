// Creates a bundle, or clones one.
import { API } from '#contract'
import { t } from '../../language/language.ts'
import { type FieldWords, formOf, textIn } from '../../ui/form/fields.ts'
import { type DialogProps, RecordDialog } from '../../ui/form/RecordForm.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { useBundleChanges } from './use-bundle-changes.ts'

const NAME: FieldWords = {
  label: t('Name'),
  code: true,
  placeholder: t('level-design'),
  hint: ({ name }) =>
    t('Lower-case letters, digits, - and _. Clients connect to /mcp-custom/{textIn}', {
      textIn: textIn(name).trim() || '…',
    }),
}
const NEW = formOf(API.bundles.create.body, { name: NAME, description: { label: t('Description (optional)') } })
const CLONE = formOf(API.bundles.clone.body, { name: NAME })

export function NewBundle(dialog: DialogProps) {
  const { create } = useBundleChanges()
  const lead = useLead()
  return (
    <RecordDialog
      {...dialog}
      title={t('New bundle')}
      form={NEW}
      fresh={{ tools: [] }}
      submit={t('Create bundle')}
      onSubmit={async (input) => lead(`/bundles/${(await create(input)).name}`)}
    />
  )
}

export function CloneBundle({ from, ...dialog }: DialogProps & { readonly from: string }) {
  const { clone } = useBundleChanges()
  const lead = useLead()
  return (
    <RecordDialog
      {...dialog}
      title={t('Clone {from}', { from })}
      form={CLONE}
      submit={t('Clone')}
      onSubmit={async ({ name }) => lead(`/bundles/${(await clone(from, name)).name}`)}
    />
  )
}
