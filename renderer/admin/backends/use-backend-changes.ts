// The changes to backends; each leaves lists and details true, also when it was refused.
import type { ClientDetail, ClientSummary } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { formatSpan } from '../../ui/format.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'

type Named = Pick<ClientSummary, 'name'>

export function useBackendChanges() {
  const { refresh, settled } = useInvalidate('clients', 'tools', 'overview')

  const setEnabled = (names: readonly string[], enabled: boolean) =>
    settled(api.clients.setEnabled({ body: { names: [...names], enabled } }))

  return {
    refresh,
    /** Says that it was done, with the way back. */
    async setEnabledWithUndo(names: readonly string[], enabled: boolean): Promise<void> {
      await setEnabled(names, enabled)
      const what = names.length === 1 ? (names[0] ?? '') : `${names.length} backends`
      notifyDone(`${what} ${enabled ? 'enabled' : 'disabled'}`, () => setEnabled(names, !enabled))
    },
    async checkHealth({ name }: Named): Promise<void> {
      const { ok, latencyMs, error, restored } = await settled(api.clients.checkHealth({ params: { name } }))
      if (ok) notifyDone(`${name} answered in ${formatSpan(latencyMs)}${restored ? ' and is back' : ''}`)
      else notifyError(new Error(`${name} did not answer: ${error ?? 'no reason given'}`))
    },
    async resetBreaker({ name }: Named): Promise<void> {
      const { previousState } = await settled(api.clients.resetBreaker({ params: { name } }))
      notifyDone(previousState === 'closed' ? `The breaker of ${name} was closed already` : `Breaker of ${name} closed`)
    },
    update: (
      { name, revision }: Pick<ClientDetail, 'name' | 'revision'>,
      change: NonNullable<Parameters<typeof api.clients.update>[0]['body']>,
    ) => settled(api.clients.update({ params: { name }, body: { ...change, revision } })),
    remove: async ({ name }: Named): Promise<void> => {
      await settled(api.clients.delete({ params: { name } }))
      notifyDone(`${name} was removed`)
    },
    rediscover: (name: string, dryRun: boolean) => {
      const asked = api.register.rediscover({ params: { name }, body: { dryRun } })
      return dryRun ? asked : settled(asked)
    },
  }
}
