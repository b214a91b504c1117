// The changes to the other servers of a backend: its second one, and its pool. Each names the revision it is a change of, and has
// its way back.
import type { Canary, Lb, LbTarget } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { notifyDone } from '../../ui/notify.ts'

type CanaryInput = Pick<Canary, 'secondaryBaseUrl' | 'mode' | 'weight' | 'enabled'>
type Balance = Pick<Lb, 'strategy' | 'primaryWeight' | 'enabled'>
type Server = Pick<LbTarget, 'baseUrl' | 'weight' | 'enabled'>

/** Where there is none yet. */
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
  const { settled } = useInvalidate('clients')
  const params = { name }
  /** Answers the record that came of it, for the way back. */
  const putCanary = async (before: Pick<Canary, 'revision'> | null, canary: CanaryInput | null, keep = false) => {
    const body = canary ? { ...canary, ...(keep && { keepCredential: true }) } : { canary: null }
    return (await settled(api.targets.setCanary({ params, body, ifMatch: revisionOf(before) }))).canary
  }
  const putLb = async (before: Pick<Lb, 'revision'> | null, lb: (Balance & { readonly upstreams?: Server[] }) | null) =>
    (await settled(api.targets.setLb({ params, body: lb ?? { lb: null }, ifMatch: revisionOf(before) }))).lb
  const add = ({ baseUrl, weight, enabled }: Server, keep = false) =>
    settled(
      api.targets.addUpstream({ params, body: { baseUrl, weight, enabled, ...(keep && { keepCredential: true }) } }),
    )
  /** Without a pool, whatever became of it meanwhile: the way back names the server only. */
  const update = (pool: Lb | null, { id }: Pick<LbTarget, 'id'>, change: Partial<Pick<Server, 'weight' | 'enabled'>>) =>
    settled(
      api.targets.updateUpstream({
        params: { name, id: String(id) },
        body: change,
        ...(pool ? { ifMatch: pool.revision } : {}),
      }),
    )
  const take = (pool: Lb | null, { id }: Pick<LbTarget, 'id'>) =>
    settled(
      api.targets.removeUpstream({ params: { name, id: String(id) }, ...(pool ? { ifMatch: pool.revision } : {}) }),
    )

  return {
    async setCanary(before: Canary | null, canary: CanaryInput, keepCredential: boolean): Promise<void> {
      const made = await putCanary(before, canary, keepCredential)
      notifyDone(`${name} has a second server`, () => putCanary(made, before && asSet(before)))
    },
    async turnCanary(canary: Canary, enabled: boolean): Promise<void> {
      const made = await putCanary(canary, { ...asSet(canary), enabled })
      const done = `The second server of ${name} switched ${enabled ? 'on' : 'off'}`
      notifyDone(done, () => putCanary(made, asSet(canary)))
    },
    async clearCanary(canary: Canary): Promise<void> {
      const left = await putCanary(canary, null)
      notifyDone(`The second server of ${name} was removed`, () => putCanary(left, asSet(canary)))
    },
    async balance(before: Lb, next: Balance): Promise<void> {
      const made = await putLb(before, balanceOf(next))
      notifyDone(`How ${name} is balanced was changed`, () => putLb(made, balanceOf(before)))
    },
    async stopBalancing(lb: Lb): Promise<void> {
      const left = await putLb(lb, null)
      notifyDone(`${name} is balanced no more`, () => putLb(left, { ...balanceOf(lb), upstreams: poolOf(lb) }))
    },
    async addServer(server: Server, keepCredential: boolean): Promise<void> {
      const made = await add(server, keepCredential)
      notifyDone(`${made.baseUrl} was added`, () => take(null, made))
    },
    async changeServer(pool: Lb, server: LbTarget, change: Partial<Pick<Server, 'weight' | 'enabled'>>): Promise<void> {
      await update(pool, server, change)
      const { weight, enabled } = server
      notifyDone(`${server.baseUrl} was changed`, () => update(null, server, { weight, enabled }))
    },
    async takeServer(pool: Lb, server: LbTarget): Promise<void> {
      await take(pool, server)
      notifyDone(`${server.baseUrl} was taken out`, () => add(server))
    },
  }
}
