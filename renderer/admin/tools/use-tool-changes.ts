// The changes to tools; each leaves lists and details true, also when it was refused.
import type { ToolDetail, ToolPatch, ToolRow } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { notifyDone } from '../../ui/notify.ts'

type Named = Pick<ToolRow, 'client' | 'tool'>
type Switched = Named & Pick<ToolRow, 'enabled'>

/** One request takes this many names at most. */
const AT_ONCE = 1000

export function useToolChanges() {
  const { settled } = useInvalidate('clients', 'tools', 'overview')

  async function switchAll(tools: readonly Named[], enabled: boolean): Promise<void> {
    for (const [name, own] of Map.groupBy(tools, ({ client }) => client))
      for (let from = 0; from < own.length; from += AT_ONCE)
        await api.tools.setEnabled({
          params: { name },
          body: { toolNames: own.slice(from, from + AT_ONCE).map(({ tool }) => tool), enabled },
        })
  }
  const setEnabled = (tools: readonly Named[], enabled: boolean) => settled(switchAll(tools, enabled))

  return {
    /** Says that it was done, with the way back: what was so before stays so. */
    async setEnabledWithUndo(all: readonly Switched[], enabled: boolean): Promise<void> {
      const tools = all.filter((tool) => tool.enabled !== enabled)
      if (tools.length === 0) return notifyDone(`All of them are ${enabled ? 'on' : 'off'} already`)
      await setEnabled(tools, enabled)
      const what = tools.length === 1 ? (tools[0]?.tool ?? '') : `${tools.length} tools`
      notifyDone(`${what} turned ${enabled ? 'on' : 'off'}`, () => setEnabled(tools, !enabled))
    },
    async clearQuarantine({ client, tool }: Named): Promise<void> {
      await settled(api.tools.clearQuarantine({ params: { name: client, tool } }))
      notifyDone(`${tool} is in use again`)
    },
    update: (
      { client, tool, revision }: Named & Pick<ToolDetail, 'revision'>,
      change: ToolPatch,
    ): Promise<ToolDetail> =>
      settled(api.tools.update({ params: { name: client, tool }, body: { ...change, revision } })),
  }
}
