// Changes to the additional servers of a backend, with revision and undo.
import type { Canary, Lb, LbTarget } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { useChanges } from '../../ui/use-records.ts'

type CanaryInput = Pick<Canary, 'secondaryBaseUrl' | 'mode' | 'weight' | 'enabled'>
type Balance = Pick<Lb, 'strategy' | 'primaryWeight' | 'enabled'>
type Server = Pick<LbTarget, 'baseUrl' | 'weight' | 'enabled'>

/** The revision of a record that does not exist yet. */
const NO_REVISION = 0
const revisionOf = (record: { readonly revision: number } | null): number => record?.revision ?? NO_REVISION

const asSet = ({ secondaryBaseUrl, mode, weight, enabled }: Canary): CanaryInput => ({
  secondaryBaseUrl,
  mode,
  weight,
  enabled,
})
const balanceOf = ({ strategy, primaryWeight, enabled }: Balance): Balance => ({ strategy, primaryWeight, enabled })
const poolOf = ({ targets }: Lb): Server[] =>
  targets.map(({ baseUrl, weight, enabled }) => ({ baseUrl, weight, enabled }))

export function useServerChanges(name: string) {
  const { run } = useChanges('clients')
  const params = { name }
  const putCanary = async (before: Pick<Canary, 'revision'> | null, canary: CanaryInput | null, keep = false) => {
    const body = canary ? { ...canary, ...(keep && { keepCredential: true }) } : { canary: null }
    return (await api.targets.setCanary({ params, body, ifMatch: revisionOf(before) })).canary
  }
  const putLb = async (before: Pick<Lb, 'revision'> | null, lb: (Balance & { readonly upstreams?: Server[] }) | null) =>
    (await api.targets.setLb({ params, body: lb ?? { lb: null }, ifMatch: revisionOf(before) })).lb
  const add = ({ baseUrl, weight, enabled }: Server, keep = false) =>
    api.targets.addUpstream({ params, body: { baseUrl, weight, enabled, ...(keep && { keepCredential: true }) } })
  /** Without a revision: the undo names the server only. */
  const oneOf = (pool: Lb | null, { id }: Pick<LbTarget, 'id'>) => ({
    params: { name, id: String(id) },
    ...(pool ? { ifMatch: pool.revision } : {}),
  })
  const update = (pool: Lb | null, server: LbTarget, body: Partial<Pick<Server, 'weight' | 'enabled'>>) =>
    api.targets.updateUpstream({ ...oneOf(pool, server), body })
  const take = (pool: Lb | null, server: Pick<LbTarget, 'id'>) => api.targets.removeUpstream(oneOf(pool, server))

  return {
    setCanary: (before: Canary | null, canary: CanaryInput, keepCredential: boolean) =>
      run(putCanary(before, canary, keepCredential), t('{name} has a second server', { name }), (made) =>
        putCanary(made, before && asSet(before)),
      ),
    turnCanary: (canary: Canary, enabled: boolean) =>
      run(
        putCanary(canary, { ...asSet(canary), enabled }),
        enabled
          ? t('The second server of {name} switched on', { name })
          : t('The second server of {name} switched off', { name }),
        (made) => putCanary(made, asSet(canary)),
      ),
    clearCanary: (canary: Canary) =>
      run(putCanary(canary, null), t('The second server of {name} was removed', { name }), (left) =>
        putCanary(left, asSet(canary)),
      ),
    balance: (before: Lb, next: Balance) =>
      run(putLb(before, balanceOf(next)), t('Load balancing of {name} was changed', { name }), (made) =>
        putLb(made, balanceOf(before)),
      ),
    stopBalancing: (lb: Lb) =>
      run(putLb(lb, null), t('{name} is no longer balanced', { name }), (left) =>
        putLb(left, { ...balanceOf(lb), upstreams: poolOf(lb) }),
      ),
    addServer: (server: Server, keepCredential: boolean) =>
      run(
        add(server, keepCredential),
        ({ baseUrl }) => t('{baseUrl} was added', { baseUrl }),
        (made) => take(null, made),
      ),
    changeServer: (pool: Lb, server: LbTarget, change: Partial<Pick<Server, 'weight' | 'enabled'>>) =>
      run(update(pool, server, change), t('{baseUrl} was changed', { baseUrl: server.baseUrl }), () =>
        update(null, server, { weight: server.weight, enabled: server.enabled }),
      ),
    takeServer: (pool: Lb, server: LbTarget) =>
      run(take(pool, server), t('{baseUrl} was removed', { baseUrl: server.baseUrl }), () => add(server)),
  }
}
