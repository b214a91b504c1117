// The changes to WebSocket targets; each leaves the list true, also when it was refused.
import type { WsTarget } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { notifyDone } from '../../ui/notify.ts'

type Change = NonNullable<Parameters<typeof api.wsTargets.update>[0]['body']>
type Input = NonNullable<Parameters<typeof api.wsTargets.create>[0]['body']>
type Revised = Pick<WsTarget, 'name' | 'revision'>

export function useWsTargetChanges() {
  const { settled } = useInvalidate('ws-targets')
  const update = ({ name, revision }: Revised, change: Change) =>
    settled(api.wsTargets.update({ params: { name }, body: { ...change, revision } }))
  return {
    async create(input: Input): Promise<void> {
      const { name } = await settled(api.wsTargets.create({ body: input }))
      notifyDone(`${name} was added`)
    },
    /** With the way back to what is changed of it. */
    async change(target: WsTarget, change: Omit<Input, 'name'>): Promise<void> {
      const changed = await update(target, change)
      const { backendWsUrl, maxConnections, maxMessageBytes, idleTimeoutMs } = target
      notifyDone(`${target.name} was changed`, () =>
        update(changed, { backendWsUrl, maxConnections, maxMessageBytes, idleTimeoutMs }),
      )
    },
    async setEnabledWithUndo(target: WsTarget, enabled: boolean): Promise<void> {
      const changed = await update(target, { enabled })
      notifyDone(`${target.name} ${enabled ? 'enabled' : 'disabled'}`, () => update(changed, { enabled: !enabled }))
    },
    async disconnectAll(name: string): Promise<void> {
      const { closed } = await settled(api.wsTargets.disconnectAll({ params: { name } }))
      notifyDone(`${closed} ${closed === 1 ? 'connection' : 'connections'} of ${name} closed`)
    },
    async remove(name: string): Promise<void> {
      await settled(api.wsTargets.delete({ params: { name } }))
      notifyDone(`${name} was deleted`)
    },
  }
}
