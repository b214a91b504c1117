// The read-only toolset beside the twenty, answered by the embedded editor.
import { editHistory } from '../editor/changes.ts'
import { noComponent } from '../editor/component.ts'
import type { ActorDoc, ComponentDoc } from '../editor/document.ts'
import { type Inspection, PcgError } from '../editor/editor.ts'
import { boundsOf } from './bounds.ts'
import { explain } from './explain.ts'
import type { Generations } from './generations.ts'
import { levelShapes } from './level-shapes.ts'
import { withValues } from './preview.ts'
import { actorAt, changesOf, type EditorSession, graphAt } from './session.ts'

type GenerationName = 'get_pcg_generation_report' | 'get_pcg_node_data' | 'explain_pcg_component'

export function inspectionTools(session: EditorSession, generations: Generations): Inspection {
  return {
    ...generationInspection(session, generations),
    async list_pcg_graphs() {
      const graphs = [...session.store.assets.values()].map(({ path, doc }) => ({
        asset_path: path,
        kind: doc.kind === 'PCGGraph' ? ('graph' as const) : ('instance' as const),
        node_count: doc.kind === 'PCGGraph' ? doc.nodes.length : 0,
        parameter_count: doc.kind === 'PCGGraph' ? doc.parameters.length : 0,
      }))
      return {
        graphs: graphs.sort((a, b) => (a.asset_path < b.asset_path ? -1 : 1)),
        unreadable: session.store.unreadable.map((item) => ({ ...item })),
      }
    },

    async list_pcg_actors() {
      return {
        level: session.store.levelPath,
        actors: session.store.level.actors.map((actor) => {
          const { origin, extent } = boundsOf(actor)
          return {
            actor_name: actor.name,
            actor_label: actor.label,
            actor_class: actor.class,
            bounds_origin: [...origin],
            bounds_extent: [...extent],
            has_component: actor.component !== undefined,
            spawned: generations.generated(actor.name).spawned.map((item) => ({ ...item })),
          }
        }),
      }
    },

    get_pcg_level_shapes: async ({ resolution }) => levelShapes(session, resolution),

    async get_pcg_graph_layout(input) {
      const { path, doc } = graphAt(session, input.pcg_graph_path)
      const placed = doc.nodes.flatMap((node) => {
        const at = doc.positions[node.name]
        return at ? [{ node_name: node.name, ...at }] : []
      })
      return { asset_path: path, nodes: placed, comments: doc.comments.map((comment) => ({ ...comment })) }
    },

    get_pcg_edit_history: async ({ pcg_graph_path: graph, limit }) =>
      editHistory(changesOf(session, { limit, ...(graph === undefined ? {} : { graph }) })),
  }
}

function componentOf({ name, component }: ActorDoc): ComponentDoc {
  if (!component) throw noComponent(name)
  return component
}

function generationInspection(session: EditorSession, generations: Generations): Pick<Inspection, GenerationName> {
  return {
    async get_pcg_generation_report(input) {
      const actor = actorAt(session, input.actor_name)
      const last = generations.last(actor.name)
      const running = generations.running(actor.name)
      return {
        actor_name: actor.name,
        task_id: running ?? last.taskId,
        state: running === null ? last.state : 'generating',
        stale: generations.stale(actor),
        duration_ms: last.durationMs,
        error: last.error,
        nodes: last.reports.map((report) => ({
          graph: report.graph,
          node_name: report.node,
          ms: report.ms,
          points: report.points,
          data: report.data,
          executed: report.executed,
          warnings: [...report.warnings],
        })),
      }
    },

    async get_pcg_node_data(input) {
      const actor = actorAt(session, input.actor_name)
      const wanted = {
        node: input.node_name,
        pin: input.pin,
        dataIndex: input.data_index,
        offset: input.offset,
        limit: input.limit,
        every: input.every,
        packed: input.packed,
      }
      const page = input.preview
        ? await generations.preview(actor, componentOf(actor), withValues(session, input.preview), wanted)
        : await generations.inspect(actor.name, wanted)
      if (!page && input.preview)
        throw new PcgError('NODE_NOT_FOUND', `${input.node_name.slice(0, 120)} is not in the graph of ${actor.name}`)
      if (!page)
        throw new PcgError(
          'NODE_NOT_FOUND',
          `The last generation of ${actor.name} since the editor started had no node '${input.node_name.slice(0, 120)}': generate first`,
        )
      return {
        actor_name: actor.name,
        node_name: input.node_name,
        pin: page.pin,
        data_count: page.dataCount,
        data_index: input.data_index,
        data_class: page.dataClass,
        tags: [...page.tags],
        row_count: page.rowCount,
        columns: page.columns.map((column) => ({ ...column, histogram: [...column.histogram] })),
        rows: page.rows.map((row) => ({ ...row })),
        ...(page.packed ? { packed: { row_count: page.packed.rows, columns: [...page.packed.columns] } } : {}),
      }
    },

    async explain_pcg_component(input) {
      const actor = actorAt(session, input.actor_name)
      const findings = explain(session, generations, actor)
      return {
        actor_name: actor.name,
        healthy: findings.every((item) => item.severity === 'info'),
        findings,
      }
    },
  }
}
