// The dialog of a team: its name.
import { type Team, TeamInput } from '#contract'
import { t } from '../../language/language.ts'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { useTeamChanges } from './use-team-changes.ts'

const FORM = formOf(TeamInput, {
  name: { label: t('Name'), code: true, placeholder: t('Level design'), hint: t('Letters, digits, spaces, - and _') },
})

export function TeamDialog(dialog: RecordDialogProps<Team>) {
  const { create, change } = useTeamChanges()
  const lead = useLead()
  return (
    <RecordDialog
      {...dialog}
      title={dialog.record ? t('Rename {name}', { name: dialog.record.name }) : t('New team')}
      form={FORM}
      submit={dialog.record ? t('Rename') : t('Create team')}
      onSubmit={async (input, base) => {
        if (base)
          await change(base, input, ({ name }) => t('{name} is called {name2} now', { name: base.name, name2: name }))
        else lead(`/teams/${(await create(input)).id}`)
      }}
    />
  )
}
