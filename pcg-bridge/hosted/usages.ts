// Which nodes of which graphs use an asset or a class, over any driver that lists its graphs.
import type { AuthoringOutput } from '../catalog/index.ts'
import type { CallContext } from '../contract/index.ts'
import { PcgError } from '../editor/editor.ts'
import { isRecord, nodeType } from '../editor/settings.ts'
import type { PatchSite } from './patch-graph.ts'

const MOST_GRAPHS = 500
/** `/Game/A/B`, `/Game/A/B.B` and `StaticMesh'/Game/A/B.B'` are one asset. */
const plain = (text: string): string =>
  (/^\w*'([^']*)'$/.exec(text)?.[1] ?? text).replace(/\.[^./]*$/, '').toLowerCase()

/** The first setting whose value, or a value inside it, names the asset. */
function settingWith(properties: Readonly<Record<string, unknown>>, asset: string): string | null {
  const names = (value: unknown): boolean =>
    typeof value === 'string'
      ? plain(value) === asset
      : Array.isArray(value)
        ? value.some(names)
        : isRecord(value) && Object.values(value).some(names)
  return Object.keys(properties).find((name) => names(properties[name])) ?? null
}

export async function findUsages(
  { editor }: Pick<PatchSite, 'editor'>,
  used: string,
  context: CallContext,
): Promise<AuthoringOutput<'find_pcg_usages'>> {
  const list = editor.inspection.list_pcg_graphs
  if (!list) throw new PcgError('INVALID_ARGUMENT', 'This editor does not list its graphs')
  const asset = used.startsWith('/') || used.includes("'") ? plain(used) : null
  const wanted = asset === null ? nodeType(used)?.name.toLowerCase() : undefined
  const graphs = (await list({})).graphs.filter(({ kind }) => kind === 'graph')
  const usages: AuthoringOutput<'find_pcg_usages'>['usages'] = []
  for (const { asset_path: pcg_graph_path } of graphs.slice(0, MOST_GRAPHS)) {
    context.signal?.throwIfAborted()
    const { nodes } = await editor.tools.get_pcg_graph_info({ pcg_graph_path }, context)
    for (const { node_name, settings_class } of nodes) {
      if (asset === null) {
        if (settings_class.toLowerCase() === (wanted ?? used.toLowerCase()))
          usages.push({ pcg_graph_path, node_name, settings_class, setting: null })
        continue
      }
      const { properties } = await editor.tools.get_pcg_node_properties({ pcg_graph_path, node_name }, context)
      const setting = settingWith(properties, asset)
      if (setting !== null) usages.push({ pcg_graph_path, node_name, settings_class, setting })
    }
  }
  const read = Math.min(graphs.length, MOST_GRAPHS)
  return { count: usages.length, usages, graphs_read: read, complete: read === graphs.length }
}
