// The changes to alert rules; each leaves the list true, also when it was refused.
import type { AlertInput, AlertRule } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { notifyDone } from '../../ui/notify.ts'

type Change = Partial<Omit<AlertInput, 'eventType'>>
type Revised = Pick<AlertRule, 'id' | 'revision'>

export function useAlertChanges() {
  const { settled } = useInvalidate('alerts')
  const paramsOf = ({ id }: Pick<AlertRule, 'id'>) => ({ params: { id: String(id) } })
  const update = (rule: Revised, change: Change) =>
    settled(api.alerts.update({ ...paramsOf(rule), body: { ...change, revision: rule.revision } }))
  return {
    async create(body: AlertInput): Promise<void> {
      const { name } = await settled(api.alerts.create({ body }))
      notifyDone(`${name} watches from now on`)
    },
    /** With the way back to what is changed of it. */
    async change(rule: AlertRule, change: Change): Promise<void> {
      const changed = await update(rule, change)
      const { name, webhookUrl, threshold, minCalls, client } = rule
      notifyDone(`${changed.name} was changed`, () =>
        update(changed, { name, webhookUrl, threshold, minCalls, client }),
      )
    },
    async setEnabledWithUndo(rule: AlertRule, enabled: boolean): Promise<void> {
      const changed = await update(rule, { enabled })
      notifyDone(`${rule.name} ${enabled ? 'enabled' : 'disabled'}`, () => update(changed, { enabled: !enabled }))
    },
    async test(rule: AlertRule): Promise<void> {
      const { httpStatus, durationMs } = await settled(api.alerts.test(paramsOf(rule)))
      notifyDone(`The webhook of ${rule.name} answered ${httpStatus} in ${durationMs} ms`)
    },
    async remove(rule: AlertRule): Promise<void> {
      await settled(api.alerts.delete({ ...paramsOf(rule), ifMatch: rule.revision }))
      notifyDone(`${rule.name} was deleted`)
    },
  }
}
