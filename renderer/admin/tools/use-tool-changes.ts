// The changes to tools.
import type { ToolDetail, ToolPatch, ToolRow } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { notifyDone } from '../../ui/notify.ts'
import { useChanges } from '../../ui/use-records.ts'

type Named = Pick<ToolRow, 'client' | 'tool'>
type Switched = Named & Pick<ToolRow, 'enabled'>

/** The limit of names per request. */
const AT_ONCE = 1000

const turned = (what: string, enabled: boolean): string =>
  enabled ? t('{what} turned on', { what }) : t('{what} turned off', { what })

export function useToolChanges() {
  const { settled, run } = useChanges('clients', 'tools', 'overview')

  async function switchAll(tools: readonly Named[], enabled: boolean): Promise<void> {
    for (const [name, own] of Map.groupBy(tools, ({ client }) => client))
      for (let from = 0; from < own.length; from += AT_ONCE)
        await api.tools.setEnabled({
          params: { name },
          body: { toolNames: own.slice(from, from + AT_ONCE).map(({ tool }) => tool), enabled },
        })
  }
  const updated = ({ client, tool, revision }: Named & Pick<ToolDetail, 'revision'>, change: ToolPatch) =>
    api.tools.update({ params: { name: client, tool }, body: { ...change, revision } })

  return {
    /** The undo skips tools that already had this state. */
    async setEnabledWithUndo(all: readonly Switched[], enabled: boolean): Promise<void> {
      const tools = all.filter((tool) => tool.enabled !== enabled)
      if (tools.length === 0)
        return notifyDone(enabled ? t('All of them are on already') : t('All of them are off already'))
      const what = tools.length === 1 ? (tools[0]?.tool ?? '') : t('{count} tools', { count: tools.length })
      await run(switchAll(tools, enabled), turned(what, enabled), () => switchAll(tools, !enabled))
    },
    /** On the page of the tool, which has its revision. */
    turn: (tool: Named & Pick<ToolDetail, 'revision'>, enabled: boolean) =>
      run(updated(tool, { enabled }), turned(tool.tool, enabled), (now) => updated(now, { enabled: !enabled })),
    clearQuarantine: ({ client, tool }: Named) =>
      run(api.tools.clearQuarantine({ params: { name: client, tool } }), t('{tool} is in use again', { tool })),
    update: (tool: Named & Pick<ToolDetail, 'revision'>, change: ToolPatch): Promise<ToolDetail> =>
      settled(updated(tool, change)),
  }
}
