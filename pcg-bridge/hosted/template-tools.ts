// The library as tools: its templates, and one of them added to a graph as a patch.
import { randomUUID } from 'node:crypto'
import type { CallContext } from '../contract/index.ts'
import { PcgError } from '../editor/editor.ts'
import { TEMPLATES, templateGraph, templateSteps } from '../library/index.ts'
import type { Converted } from '../review/transfer.ts'
import type { Authoring } from './authoring.ts'
import { type PatchSite, patchGraph } from './patch-graph.ts'

type TemplateTools = Pick<Authoring, 'list_pcg_templates' | 'insert_pcg_template'>
/** Free room between the graph and the template. */
const APART = 400

export function templateTools(
  site: PatchSite,
  read: (path: string, context: CallContext) => Promise<Converted>,
): TemplateTools {
  return {
    list_pcg_templates({ query, tag }) {
      const words = query.toLowerCase().split(/\s+/)
      const found = TEMPLATES.filter(({ id, title, about, tags }) => {
        const text = [id, title, about, ...tags].join(' ').toLowerCase()
        return (tag === '' || tags.includes(tag)) && words.every((word) => text.includes(word))
      })
      const templates = found.map(({ id, title, about, tags, needs }) => {
        const { nodes, parameters } = templateGraph({ id })
        return {
          template: id,
          title,
          about,
          tags: [...tags],
          needs: [...needs],
          node_count: nodes.size,
          parameters: [...parameters].map(([name, { type, value }]) => ({ name, type, value })),
        }
      })
      return Promise.resolve({ count: templates.length, templates })
    },

    async insert_pcg_template({ pcg_graph_path, template: name, parameters, dry_run }, context) {
      const template = TEMPLATES.find(({ id }) => id === name)
      if (!template)
        throw new PcgError('INVALID_ARGUMENT', `The library has no template '${name}': list_pcg_templates lists them`)
      const unknown = Object.keys(parameters).find((key) => !templateGraph(template).parameters.has(key))
      if (unknown !== undefined)
        throw new PcgError('INVALID_ARGUMENT', `The template '${name}' has no parameter '${unknown}'`)
      const { graph: before } = await read(pcg_graph_path, context)
      const named = [...before.nodes.values()].flatMap((node) => (node.name === null ? [] : [node.name]))
      const places = [...before.layout.nodes.values()]
      const steps = templateSteps(
        template,
        {
          nodes: [...before.nodes.keys(), ...named],
          parameters: before.parameters.keys(),
          at: { x: 0, y: places.length === 0 ? 0 : Math.max(...places.map(({ y }) => y)) + APART },
        },
        parameters,
      )
      const batchId = context.batchId ?? `template-${randomUUID()}`
      const { graph, ...report } = await patchGraph(site, pcg_graph_path, steps, dry_run, { ...context, batchId })
      return { asset_path: graph, batch_id: report.applied ? batchId : null, ...report }
    },
  }
}
