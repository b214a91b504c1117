// The embedded editor: a PCG engine over a project folder, nothing to install. Connected means that the project is open.
import { INSPECTION, type InspectionName } from '../catalog/index.ts'
import { CAPABILITIES, type EditorEvent, type EditorState } from '../contract/index.ts'
import { type Editor, PcgError } from '../editor/editor.ts'
import { createTurn } from '../editor/in-turn.ts'
import { openProject, type Project, type ProjectOptions } from './project.ts'

// The keys of the table.
const INSPECTS = Object.keys(INSPECTION) as InspectionName[]

/** It answers at once, and never waits for a window. */
const IN_PROCESS = { latencyMs: null, lastSeenAt: null, activity: null } as const

export function embeddedEditor(options: ProjectOptions): Editor {
  const listeners = new Set<(event: EditorEvent) => void>()
  const emit = (event: EditorEvent): void => {
    for (const listener of listeners) listener(event)
  }
  let project: Project | null = null
  let status: EditorState['status'] = 'disconnected'
  let error: string | null = null
  /** Two projects must not be open in one folder. */
  const inTurn = createTurn()

  function become(next: EditorState['status'], reason: string | null = null): void {
    error = reason
    if (status === next) return
    status = next
    emit({ type: 'editor.status', status })
  }
  function opened(): Project {
    if (project) return project
    throw new PcgError('EDITOR_UNAVAILABLE', error ?? 'The editor is disconnected: connect it first')
  }

  async function open(): Promise<boolean> {
    if (project) return false
    become('connecting')
    try {
      project = await openProject(options, emit)
      become('connected')
      return true
    } catch (reason) {
      become('error', reason instanceof Error ? reason.message : String(reason))
      throw reason
    }
  }
  async function shut(): Promise<boolean> {
    const closing = project
    project = null
    await closing?.close()
    become('disconnected')
    return closing !== null
  }

  return {
    capabilities: CAPABILITIES,
    inspects: INSPECTS,
    get tools() {
      return opened().tools
    },
    get inspection() {
      return opened().inspection
    },
    state: () => ({
      status,
      error,
      ...(project?.where() ?? { project: null, level: null, engine: null }),
      ...IN_PROCESS,
    }),
    connect: () => inTurn(open),
    disconnect: () => inTurn(shut),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    history: (query) => opened().history(query),
    undo: async (selection, context, dryRun) => opened().undo(selection, context, dryRun),
    writeLevel: async (shapes, replace, context) => {
      const { writeLevel } = opened()
      if (!writeLevel) throw new PcgError('EDITOR_ERROR', 'The project cannot take a level')
      return writeLevel(shapes, replace, context)
    },
    settled: async (actor) => opened().settled(actor),
    simulate: async (wanted, context) => opened().simulate(wanted, context),
    tests: {
      read: (graph) => opened().tests.read(graph),
      write: async (graph, tests, context) => opened().tests.write(graph, tests, context),
    },
    importSite: (context) => opened().importSite(context),
    place: async (graph, layout) => opened().place(graph, layout),
    async close() {
      listeners.clear()
      await inTurn(shut)
    },
  }
}

/** With its project open. */
export async function openEmbeddedEditor(options: ProjectOptions): Promise<Editor> {
  const editor = embeddedEditor(options)
  await editor.connect()
  return editor
}
