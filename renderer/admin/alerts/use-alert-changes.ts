// The changes to alert rules.
import type { AlertInput, AlertRule } from '#contract'
import { api } from '../../api/api.ts'
import { type RecordKind, useRecords } from '../../api/use-records.ts'

const paramsOf = ({ id }: Pick<AlertRule, 'id'>) => ({ params: { id: String(id) } })

const ALERTS: RecordKind<AlertRule, AlertInput> = {
  keys: ['alerts'],
  nameOf: ({ name }) => name,
  create: (body) => api.alerts.create({ body }),
  // The event of a rule stays.
  update: (rule, { eventType: _event, ...change }) =>
    api.alerts.update({ ...paramsOf(rule), body: { ...change, revision: rule.revision } }),
  remove: (rule) => api.alerts.delete({ ...paramsOf(rule), ifMatch: rule.revision }),
}

export function useAlertChanges() {
  const records = useRecords(ALERTS)
  return {
    ...records,
    test: (rule: AlertRule) =>
      records.run(
        api.alerts.test(paramsOf(rule)),
        ({ httpStatus, durationMs }) => `The webhook of ${rule.name} answered ${httpStatus} in ${durationMs} ms`,
      ),
  }
}
