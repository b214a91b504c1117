// The changes to alert rules.
import type { AlertRule } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { recordKind, useRecords } from '../../ui/use-records.ts'

const paramsOf = ({ id }: Pick<AlertRule, 'id'>) => ({ params: { id: String(id) } })

const ALERTS = recordKind(api.alerts, 'id', {
  keys: ['alerts'],
  fixed: ['eventType'],
})

export function useAlertChanges() {
  const records = useRecords(ALERTS)
  return {
    ...records,
    test: (rule: AlertRule) =>
      records.run(api.alerts.test(paramsOf(rule)), ({ httpStatus, durationMs }) =>
        t('The webhook of {name} answered {httpStatus} in {durationMs} ms', {
          name: rule.name,
          httpStatus,
          durationMs,
        }),
      ),
  }
}
