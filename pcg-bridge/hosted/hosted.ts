// One editor as a gateway hosts it: three toolsets, a state, events, history, undo, layouts, snapshots.
import {
  AUTHORING,
  type AuthoringName,
  CATALOG,
  INSPECTION,
  type InspectionName,
  type ToolName,
} from '../catalog/index.ts'
import type {
  CallContext,
  EditorEvent,
  GraphDocument,
  GraphLayout,
  GraphSnapshot,
  HostedEditor,
  Toolset,
  TransferReport,
} from '../contract/index.ts'
import { reasonOf } from '../editor/activity-reason.ts'
import { type Editor, PcgError, type PlacedComments } from '../editor/editor.ts'
import { type Imported, importGraphs } from '../editor/import-graphs.ts'
import { createQueue, type Queue } from '../editor/queue.ts'
import { threadsFor } from '../editor/threads.ts'
import { withNodes } from '../review/assertions.ts'
import { createAdmission, type Seen, SIMULATED } from './admission.ts'
import { type Authoring, authoringTools } from './authoring.ts'
import { watchTurns } from './before-turn.ts'
import { exportGraphs, renamedLayout } from './export-graph.ts'
import { type GraphTestStore, openGraphTests } from './graph-tests.ts'
import { openLayoutFiles } from './layout-file.ts'
import type { Leases, Surface } from './leases.ts'
import { type PatchSite, patchGraph } from './patch-graph.ts'
import { describeGraph, type GraphState } from './snapshot.ts'
import { createToolset } from './toolset.ts'

export type HostedOptions = {
  readonly editor: Editor
  readonly sidecarDir: string
  /** Calls that may wait; PCG_QUEUE_MAX. */
  readonly queueMax: number
  /** From the arrival of a call to its answer; PCG_CALL_TIMEOUT_MS. */
  readonly callTimeoutMs: number
}

const DESCRIPTION = 'Procedural content (PCG): author graphs, place volumes, generate, and see what came out'
const AUTHORS = 'Whole PCG graphs: read as text, patch with a dry run, lint, verify'
const LOOKS = 'Looks into PCG graphs and what they generated; changes nothing'
const counted = (graph: string, state: GraphState): GraphSnapshot => ({
  graph,
  nodeCount: Object.keys(state.nodes).length,
  edgeCount: state.edges.length,
  state,
})

const STEP_MS = 200
/** Follows long work in the events, a few times a second. */
function followed(context: CallContext, emit: (event: EditorEvent) => void): CallContext {
  const { requestId, onProgress } = context
  let last = 0
  return {
    ...context,
    onProgress(step) {
      onProgress?.(step)
      const now = performance.now()
      if (requestId === undefined || now - last < STEP_MS) return
      last = now
      emit({ type: 'transfer', requestId, ...step })
    },
  }
}

/** Where nodes and comments are: what the editor has, and what only the file beside it holds. */
function createLayouts(editor: Editor, sidecarDir: string, emit: (event: EditorEvent) => void, tests: GraphTestStore) {
  const layouts = openLayoutFiles(sidecarDir)

  /** Where the editor shows its nodes; the path as it names it. */
  async function placed(graph: string) {
    const show = editor.inspection.get_pcg_graph_layout
    if (!show) throw new PcgError('EDITOR_ERROR', 'This editor does not tell where its nodes are')
    return show({ pcg_graph_path: graph })
  }

  async function readLayout(graph: string) {
    const shown = await placed(graph)
    return layouts.read(shown.asset_path, shown)
  }
  async function writeLayout(
    graph: string,
    layout: GraphLayout,
    expected: number | undefined,
    queued: (place: () => Promise<PlacedComments>) => Promise<PlacedComments>,
  ) {
    const { asset_path: path } = await placed(graph)
    const saved = await layouts.write(path, layout, expected, (known) =>
      queued(() => editor.place(path, layout, known)),
    )
    if ('revision' in saved) emit({ type: 'graph.changed', graph: path, change: null, layoutRevision: saved.revision })
    return saved
  }
  /** Its place in the queue is that of the whole import: `place` runs inside. */
  async function arrange(
    documents: readonly GraphDocument[],
    imported: Imported,
    context: CallContext,
  ): Promise<TransferReport> {
    const { names, ...report } = imported
    const graphs: TransferReport['graphs'] = []
    for (const entry of report.graphs) {
      const { layout, tests: asserted } = documents.find(({ path }) => path === entry.from) ?? {}
      const made = names.get(entry.to)
      if (!layout || !made) {
        graphs.push(entry)
        continue
      }
      if (layout.reroutes.length > 0)
        report.lost.push({ graph: entry.from, item: 'reroutes', reason: 'Reroutes belong to the edges of one editor' })
      try {
        if (asserted)
          await tests.write(
            entry.to,
            withNodes(asserted, (name) => made.get(name) ?? name),
            context,
          )
        await writeLayout(entry.to, renamedLayout(layout, made), undefined, (place) => place())
        graphs.push({ ...entry, comments: layout.comments.length })
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        report.lost.push({ graph: entry.from, item: 'positions and comments', reason })
        graphs.push(entry)
      }
    }
    return { ...report, graphs }
  }

  return { readLayout, writeLayout, arrange }
}

/** A real level is read, and written into the embedded editor. */
function levelDoors(
  editor: Editor,
  queue: ReturnType<typeof createQueue>,
  emit: (event: EditorEvent) => void,
): Pick<HostedEditor, 'readLevel' | 'writeLevel'> {
  return {
    readLevel: (resolution, context) =>
      queue.run('read level', context.signal, async () => {
        if (!editor.readLevel)
          throw new PcgError('INVALID_ARGUMENT', 'The level of the embedded editor cannot be read: name a real editor')
        return editor.readLevel(resolution, followed(context, emit))
      }),
    writeLevel: (shapes, replace, context) =>
      queue.run('write level', context.signal, async () => {
        if (!editor.writeLevel)
          throw new PcgError('INVALID_ARGUMENT', 'A level is read into the embedded editor: name one as the target')
        return editor.writeLevel(shapes, replace, context)
      }),
  }
}

type Lanes = {
  readonly editor: Editor
  readonly queue: Queue
  readonly looks: Queue
  readonly authoring: Authoring
  readonly emit: (event: EditorEvent) => void
}
/** They wait for other callers, not for the editor. */
const LEASING: ReadonlySet<string> = new Set<AuthoringName>(['lease_pcg_graph', 'release_pcg_graph'])

function toolsetsOf(
  { editor, queue, looks, authoring, emit }: Lanes,
  announced: (toolset: Toolset, reach: () => unknown, surface?: Surface) => Toolset,
): Pick<HostedEditor, 'tools' | 'inspection' | 'authoring'> {
  const inspected = Object.fromEntries(editor.inspects.map((name) => [name, INSPECTION[name]]))
  const lane: Queue = {
    ...queue,
    run: (name, signal, work) =>
      LEASING.has(name) ? work() : (editor.simulate && SIMULATED.has(name) ? looks : queue).run(name, signal, work),
  }
  return {
    tools: announced(
      // A key of CATALOG, by createToolset.
      createToolset(DESCRIPTION, CATALOG, queue, (name, input, context) =>
        editor.tools[name as ToolName](input, context),
      ),
      () => editor.tools,
    ),
    inspection: announced(
      // A key of INSPECTION, likewise.
      createToolset(LOOKS, inspected, looks, async (name, input) => editor.inspection[name as InspectionName]?.(input)),
      () => editor.inspection,
    ),
    authoring: announced(
      // A key of AUTHORING, likewise.
      createToolset(AUTHORS, AUTHORING, lane, (name, input, context) =>
        authoring[name as AuthoringName](input, followed(context, emit)),
      ),
      () => editor.tools,
      'authoring',
    ),
  }
}

/** What a person decides: who may write to a graph, the answer to a window, a check-in. */
function sharedDoors(
  editor: Editor,
  queue: Queue,
  leases: Leases,
): Pick<HostedEditor, 'takeLease' | 'releaseLease' | 'answerDialog' | 'changeList'> {
  return {
    takeLease: (graph, context) => leases.take(graph, context),
    releaseLease: (graph) => leases.release(graph, null),
    answerDialog: async (id, answer) => (await editor.answerDialog?.(id, answer)) ?? false,
    changeList: (batchId, submit, context) =>
      queue.run('change list', context.signal, async () => {
        if (!editor.changeList)
          throw new PcgError(
            'INVALID_ARGUMENT',
            'The built-in editor has no source control: its project is a folder of files',
          )
        return editor.changeList({ batchId }, submit, context)
      }),
  }
}

export function createHosted({ editor, sidecarDir, queueMax, callTimeoutMs }: HostedOptions): HostedEditor {
  const why = () => reasonOf(editor.state().activity)
  const queue = createQueue({ max: queueMax, timeoutMs: callTimeoutMs, why })
  // Inspection has a queue of its own, so that a long read does not hold up an edit.
  const looks = createQueue({ max: queueMax, timeoutMs: callTimeoutMs, why })
  const listeners = new Set<(event: EditorEvent) => void>()
  const emit = (event: EditorEvent): void => {
    for (const listener of listeners) listener(event)
  }
  editor.subscribe(emit)
  let turnListener: Parameters<HostedEditor['onTurn']>[0] | undefined
  const turns = watchTurns(editor, ({ actor, graph, state }) => turnListener?.({ actor, ...counted(graph, state) }))
  const seen: Seen = { latencyMs: null, lastSeenAt: null }
  const { leases, announced } = createAdmission(editor, turns, emit, seen)

  const tests = openGraphTests(editor, sidecarDir)
  const { readLayout, writeLayout, arrange } = createLayouts(editor, sidecarDir, emit, tests)
  // In its caller's own place in the queue.
  const site: PatchSite = {
    editor,
    layoutOf: readLayout,
    tests,
    saveLayout: (path, layout) => writeLayout(path, layout, undefined, (place) => place()),
  }
  const experiment = { editor, sidecarDir, testsOf: tests.read, threadsFor }
  return {
    ...toolsetsOf(
      { editor, queue, looks, authoring: authoringTools(site, experiment, turns, leases), emit },
      announced,
    ),
    state() {
      const state = editor.state()
      return {
        ...state,
        capabilities: [...editor.capabilities],
        queue: queue.state(),
        leases: leases.list(),
        latencyMs: state.latencyMs ?? seen.latencyMs,
        lastSeenAt: state.lastSeenAt ?? seen.lastSeenAt,
      }
    },
    connect: () => editor.connect(),
    disconnect: () => editor.disconnect(),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    history: (query) => editor.history(query),
    undo: (selection, context, dryRun) => queue.run('undo', undefined, () => editor.undo(selection, context, dryRun)),
    layout: readLayout,
    saveLayout: (graph, layout, expected) =>
      writeLayout(graph, layout, expected, (place) => queue.run('place', undefined, place)),
    exportGraph: (graph, context) =>
      queue.run('export', context.signal, () => exportGraphs(site, graph, followed(context, emit))),
    importGraph: (documents, options, context) =>
      queue.run('import', context.signal, async () =>
        arrange(
          documents,
          await importGraphs(editor.importSite(context), documents, options, followed(context, emit)),
          context,
        ),
      ),
    patchGraph: (graph, steps, dryRun, context) =>
      queue.run('patch', context.signal, () => patchGraph(site, graph, steps, dryRun, followed(context, emit))),
    ...levelDoors(editor, queue, emit),
    async snapshot(given) {
      const { graph, state } = await queue.run('snapshot', undefined, () => describeGraph(editor, given))
      return counted(graph, state)
    },
    ...sharedDoors(editor, queue, leases),
    onTurn(listener) {
      turnListener = listener
    },
    async close() {
      leases.close()
      await editor.close()
      listeners.clear()
    },
  }
}
