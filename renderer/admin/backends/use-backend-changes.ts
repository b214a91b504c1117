// The changes to backends.
import type { ClientDetail, ClientSummary } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { formatSpan } from '../../ui/format.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { turned, useChanges } from '../../ui/use-records.ts'

type Named = Pick<ClientSummary, 'name'>
type Change = NonNullable<Parameters<typeof api.clients.update>[0]['body']>

/** Options of a change. */
const before = (backend: ClientDetail, change: Change): Change => ({
  ...(change.baseUrl === undefined ? {} : { baseUrl: backend.baseUrl }),
  ...(change.healthUrl === undefined ? {} : { healthUrl: backend.healthUrl }),
  ...(change.description === undefined ? {} : { description: backend.description || null }),
})

export function useBackendChanges() {
  const { refresh, settled, run } = useChanges('clients', 'tools', 'overview')
  const setEnabled = (names: readonly string[], enabled: boolean) =>
    api.clients.setEnabled({ body: { names: [...names], enabled } })
  const update = ({ name, revision }: Pick<ClientDetail, 'name' | 'revision'>, change: Change) =>
    api.clients.update({ params: { name }, body: { ...change, revision } })
  const setEnabledWithUndo = (names: readonly string[], enabled: boolean): Promise<unknown> => {
    const what = names.length === 1 ? (names[0] ?? '') : t('{count} backends', { count: names.length })
    return run(setEnabled(names, enabled), turned(what, enabled), () => setEnabled(names, !enabled))
  }

  return {
    refresh,
    run,
    setEnabledWithUndo,
    /** Only its page has its revision. */
    turn: (backend: ClientSummary | ClientDetail, enabled: boolean): Promise<unknown> =>
      'revision' in backend
        ? run(update(backend, { enabled }), turned(backend.name, enabled), (now) => update(now, { enabled: !enabled }))
        : setEnabledWithUndo([backend.name], enabled),
    async checkHealth({ name }: Named): Promise<void> {
      const { ok, latencyMs, error, restored } = await settled(api.clients.checkHealth({ params: { name } }))
      if (ok)
        notifyDone(
          restored
            ? t('{name} answered in {duration} and is back in service', { name, duration: formatSpan(latencyMs) })
            : t('{name} answered in {duration}', { name, duration: formatSpan(latencyMs) }),
        )
      else notifyError(new Error(t('{name} did not answer: {reason}', { name, reason: error ?? t('no reason given') })))
    },
    resetBreaker: ({ name }: Named) =>
      run(api.clients.resetBreaker({ params: { name } }), ({ previousState }) =>
        previousState === 'closed'
          ? t('The breaker of {name} was closed already', { name })
          : t('Breaker of {name} closed', { name }),
      ),
    update: (backend: ClientDetail, change: Change) => settled(update(backend, change)),
    change: (backend: ClientDetail, change: Change, keepCredential: boolean) =>
      run(
        update(backend, { ...change, ...(keepCredential ? { keepCredential } : {}) }),
        ({ warnings }) =>
          warnings
            ? t('{name} was changed, and is called without its credential', { name: backend.name })
            : t('{name} was changed', { name: backend.name }),
        (changed) => update(changed, before(backend, change)),
      ),
    remove: ({ name }: Named) => run(api.clients.delete({ params: { name } }), t('{name} was removed', { name })),
    rediscover: (name: string, dryRun: boolean) => {
      const asked = api.register.rediscover({ params: { name }, body: { dryRun } })
      return dryRun ? asked : settled(asked)
    },
  }
}
