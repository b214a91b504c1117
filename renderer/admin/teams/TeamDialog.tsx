// The dialog of a team: its name.
import { type Team, TeamInput } from '#contract'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { useTeamChanges } from './use-team-changes.ts'

const FORM = formOf(TeamInput, {
  name: { label: 'Name', code: true, placeholder: 'Level design', hint: 'Letters, digits, spaces, - and _' },
})

export function TeamDialog(dialog: RecordDialogProps<Team>) {
  const { create, change } = useTeamChanges()
  const lead = useLead()
  return (
    <RecordDialog
      {...dialog}
      title={dialog.record ? `Rename ${dialog.record.name}` : 'New team'}
      form={FORM}
      submit={dialog.record ? 'Rename' : 'Create team'}
      onSubmit={async (input, base) => {
        if (base) await change(base, input, ({ name }) => `${base.name} is called ${name} now`)
        else lead(`/teams/${(await create(input)).id}`)
      }}
    />
  )
}
