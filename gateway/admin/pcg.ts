// Editors of procedural content.

import type { Sessions } from '../auth/sessions.ts'
import type { pcg } from '../contract/admin/pcg.ts'
import type { Actor } from '../contract/role.ts'
import type { EditorCalls } from '../editors/calls.ts'
import type { Editors } from '../editors/editors.ts'
import type { EditorGraphs } from '../editors/graphs.ts'
import type { EditorTransfers } from '../editors/transfers.ts'
import type { Feed } from '../http/sse.ts'
import type { Events } from '../live/events.ts'
import type { Base } from '../records/base.ts'
import type { Handlers } from './mount.ts'
import { whenSessionEnds } from './session-end.ts'

export type EditorHandlerDeps = Pick<Base, 'clock'> & {
  readonly editors: Editors
  readonly editorCalls: EditorCalls
  readonly editorGraphs: EditorGraphs
  readonly editorTransfers: EditorTransfers
  readonly events: Pick<Events, 'subscribe'>
  readonly sessions: Pick<Sessions, 'stands' | 'onEnd'>
}

const bare = (graph: string): string => graph.replace(/\.[^./]*$/, '').toLowerCase()

export function editorHandlers(
  parts: EditorHandlerDeps,
): Pick<
  Handlers<typeof pcg>,
  | 'call'
  | 'copyGraph'
  | 'exportGraph'
  | 'importGraph'
  | 'patchGraph'
  | 'readLevel'
  | 'events'
  | 'undo'
  | 'saveLayout'
  | 'compareSnapshot'
  | 'snapshotDocument'
  | 'takeLease'
  | 'releaseLease'
  | 'answerDialog'
  | 'changeList'
> {
  const { editors, editorCalls, editorGraphs, editorTransfers, events, sessions, clock } = parts

  function feed(actor: Actor, editor: string, graph: string | undefined, status: string): Feed {
    const wanted = graph === undefined ? undefined : bare(graph)
    return (stream) => {
      const at = new Date(clock.now()).toISOString()
      const send = (event: string, data: object): boolean => stream.send({ event, data: JSON.stringify(data) })
      // The present state, so that no client has to ask and listen at the same time.
      send('editor.status', { at, editor, status })
      const leave = [
        events.subscribe(
          actor,
          ({ data: { type, ...data } }) => {
            if (data['editor'] !== editor) return
            const about = data['graph']
            if (wanted !== undefined && typeof about === 'string' && bare(about) !== wanted) return
            send(type, data)
          },
          new Set(['pcg']),
        ),
        whenSessionEnds(sessions, actor, () => {
          send('bye', { at: new Date(clock.now()).toISOString(), editor, reason: 'session_ended' })
          stream.close()
        }),
      ]
      stream.onClose(() => {
        for (const stop of leave) stop()
      })
    }
  }

  return {
    call: ({ params, body }, context) =>
      editorCalls.call(context, params.name, body, (cancel) =>
        context.signal.addEventListener('abort', cancel, { once: true }),
      ),
    takeLease: ({ params, body }, context) => editors.takeLease(context, params.name, body.graph),
    releaseLease: ({ params, query }, context) => editors.releaseLease(context, params.name, query.graph),
    answerDialog: ({ params, body }, context) => editors.answerDialog(context, params.name, body),
    changeList: ({ params, body }, context) => editors.changeList(context, params.name, body),
    copyGraph: ({ params, body }, context) => editorTransfers.copyGraph(context, params.name, body),
    exportGraph: ({ params, query }, context) => editorTransfers.exportGraph(context, params.name, query.graph),
    importGraph: ({ params, body }, context) => editorTransfers.importGraph(context, params.name, body),
    patchGraph: ({ params, body }, context) => editorTransfers.patchGraph(context, params.name, body),
    readLevel: ({ params, body }, context) => editorTransfers.readLevel(context, params.name, body),
    async events({ params, query }, { actor }) {
      const { status } = await editors.get(actor, params.name)
      return feed(actor, params.name, query.graph, status)
    },
    undo({ params, body: { batchId, changeId, dryRun } }, context) {
      const selection = batchId === undefined ? { changeId: changeId ?? 0 } : { batchId }
      return editorGraphs.undo(context, params.name, selection, dryRun)
    },
    saveLayout: ({ params, query, body: { revision, graph: _echoed, ...layout } }, { actor, ifMatch }) =>
      editorGraphs.saveLayout(actor, params.name, query.graph, layout, [ifMatch, revision]),
    snapshotDocument: ({ params }, { actor }) => editorGraphs.snapshotDocument(actor, params.name, params.id),
    compareSnapshot: ({ params, query }, { actor }) =>
      editorGraphs.compare(actor, params.name, params.id, query.against),
  }
}
