// The changes to the other servers of a backend: its second one, and its pool. Each has its way back.
import type { Canary, Lb, LbTarget } from '#contract'
import { api } from '../../api/api.ts'
import { useSettled } from '../../api/use-settled.ts'
import { notifyDone } from '../../ui/notify.ts'

type CanaryInput = Pick<Canary, 'secondaryBaseUrl' | 'mode' | 'weight' | 'enabled'>
type Balance = Pick<Lb, 'strategy' | 'primaryWeight' | 'enabled'>
type Server = Pick<LbTarget, 'baseUrl' | 'weight' | 'enabled'>

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
  const { settled } = useSettled('clients')
  const params = { name }
  const putCanary = (canary: CanaryInput | null) =>
    settled(api.targets.setCanary({ params, body: canary ?? { canary: null } }))
  const putLb = (lb: (Balance & { readonly upstreams?: Server[] }) | null) =>
    settled(api.targets.setLb({ params, body: lb ?? { lb: null } }))
  const add = ({ baseUrl, weight, enabled }: Server) =>
    settled(api.targets.addUpstream({ params, body: { baseUrl, weight, enabled } }))
  const update = ({ id }: Pick<LbTarget, 'id'>, change: Partial<Pick<Server, 'weight' | 'enabled'>>) =>
    settled(api.targets.updateUpstream({ params: { name, id: String(id) }, body: change }))
  const take = ({ id }: Pick<LbTarget, 'id'>) =>
    settled(api.targets.removeUpstream({ params: { name, id: String(id) } }))

  return {
    async setCanary(before: Canary | null, canary: CanaryInput): Promise<void> {
      await putCanary(canary)
      notifyDone(`${name} has a second server`, () => putCanary(before && asSet(before)))
    },
    async turnCanary(canary: Canary, enabled: boolean): Promise<void> {
      await putCanary({ ...asSet(canary), enabled })
      notifyDone(`The second server of ${name} switched ${enabled ? 'on' : 'off'}`, () => putCanary(asSet(canary)))
    },
    async clearCanary(canary: Canary): Promise<void> {
      await putCanary(null)
      notifyDone(`The second server of ${name} was removed`, () => putCanary(asSet(canary)))
    },
    async balance(before: Lb, next: Balance): Promise<void> {
      await putLb(balanceOf(next))
      notifyDone(`How ${name} is balanced was changed`, () => putLb(balanceOf(before)))
    },
    async stopBalancing(lb: Lb): Promise<void> {
      await putLb(null)
      notifyDone(`${name} is balanced no more`, () => putLb({ ...balanceOf(lb), upstreams: poolOf(lb) }))
    },
    async addServer(server: Server): Promise<void> {
      const made = await add(server)
      notifyDone(`${made.baseUrl} was added`, () => take(made))
    },
    async changeServer(server: LbTarget, change: Partial<Pick<Server, 'weight' | 'enabled'>>): Promise<void> {
      await update(server, change)
      const { weight, enabled } = server
      notifyDone(`${server.baseUrl} was changed`, () => update(server, { weight, enabled }))
    },
    async takeServer(server: LbTarget): Promise<void> {
      await take(server)
      notifyDone(`${server.baseUrl} was taken out`, () => add(server))
    },
  }
}
