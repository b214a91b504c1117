// The dialog of a budget: whom it counts, its period and its limits.
import { type Budget, BudgetInput } from '#contract'
import { t } from '../../language/language.ts'
import { type Draft, formOf } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { PERIODS, SCOPES } from './labels.ts'
import { useBudgetChanges } from './use-budget-changes.ts'

const isOfSession = ({ per }: Draft): boolean => per === 'session'
const NONE = t('no limit')

const FORM = formOf(BudgetInput, {
  name: { label: t('Name'), placeholder: t('Agents of the art team') },
  per: { label: t('One count for each'), options: SCOPES, half: true },
  period: { label: t('Period'), options: PERIODS, half: true, when: (draft) => !isOfSession(draft) },
  only: {
    label: ({ per }) => (per === 'tool' ? t('Only this backend or tool') : t('Only this one')),
    placeholder: ({ per }) => (per === 'tool' ? t('shop__find_items') : t('all of them')),
    hint: ({ per }) =>
      per === 'consumer'
        ? t('The name of a consumer.')
        : per === 'tool'
          ? t('A backend shares one count for all its tools.')
          : per === 'program'
            ? t('The name that the client gives itself, such as claude-code.')
            : t('The label of a key.'),
    code: true,
  },
  maxCalls: { label: t('Calls'), placeholder: NONE, half: true },
  maxTokens: {
    label: t('Tokens of answers'),
    placeholder: NONE,
    half: true,
  },
  maxBytes: { label: t('Bytes of answers'), placeholder: NONE, half: true },
  maxCost: { label: t('Cost'), placeholder: NONE, half: true, hint: t('By the prices of the tools.') },
  keepAboveBytes: {
    label: t('Keep answers above (bytes)'),
    placeholder: t('never'),
    hint: t('The caller receives an outline and a handle. A tool that cuts its answers or sums them up does so.'),
  },
  stopLoops: { label: t('Stop loops: refuse the fourth of near-identical calls with near-identical answers') },
})

export function BudgetDialog(dialog: RecordDialogProps<Budget>) {
  const { create, change } = useBudgetChanges()
  const lead = useLead()
  return (
    <RecordDialog
      {...dialog}
      noun={t('budget')}
      about={t('Further calls are refused once one of the limits is reached.')}
      form={FORM}
      submit={dialog.record ? t('Save') : t('Create budget')}
      onSubmit={async (input, base) => {
        if (base) await change(base, input)
        else lead(`/budgets/${(await create(input)).id}`)
      }}
    />
  )
}
