// A running Unreal editor behind the `Editor` interface, over whichever way its owner has switched on.
import { INSPECTION, type InspectionName } from '../catalog/index.ts'
import type { CallContext, EditorEvent, EditorState, UnrealDriver } from '../contract/index.ts'
import { type Editor, PcgError, type Tools } from '../editor/editor.ts'
import { createObserver, type Observer } from './activity.ts'
import { parseBounded } from './bounded-json.ts'
import { capture } from './capture.ts'
import { type Carrier } from './carrier.ts'
import { changeList } from './change-list.ts'
import { componentTools } from './component-tools.ts'
import { type Connection, type ConnectionState, createConnection, type OpenCarrier } from './connection.ts'
import { graphTools, placeLayout } from './graph-tools.ts'
import { importSite } from './import-site.ts'
import { inspectionTools } from './inspection-tools.ts'
import { readLevel } from './level-read.ts'
import { MCP_URL, openUnrealMcp, type UnrealMcp } from './mcp-server.ts'
import { nodeTools, settingsTools } from './node-tools.ts'
import { parameterTools } from './parameter-tools.ts'
import { patient } from './patience.ts'
import { openRemoteControl, REMOTE_CONTROL_URL } from './remote-control.ts'
import { openRemoteExecution } from './remote-execution.ts'
import { createSession, type EditorSession } from './session.ts'
import { WAYS_OUT } from './setup.ts'
import { createToolset, type Described, TOOLSET, toolsIn } from './toolset.ts'
import { undo } from './undo.ts'
import { volumeTool } from './volume-tool.ts'

export { chooseEditor, discoverEditors } from './discover.ts'
export { SETUP } from './setup.ts'

export type UnrealOptions = {
  readonly driver: UnrealDriver
  /** Address of Remote Control or of the MCP server; for remote execution `udp://group:port`. */
  readonly url?: string
  /** Passphrase of Remote Control on another machine; never sent on loopback, nor to what is not Remote Control. */
  readonly token?: string
  /** Folder of the project that must be open. */
  readonly project?: string
  readonly acceptUnproven?: boolean
  readonly autoConnect?: boolean
  readonly callTimeoutMs?: number
  /** Beside `unreal-mcp`: where Python is reached. And beside Python: where the MCP server may be. */
  readonly remoteControlUrl?: string
  readonly multicastGroup?: string
  readonly mcpUrl?: string | null
}

const STARTING_MS = 60_000
const ALWAYS = ['nodePositions', 'undo', 'listGraphs', 'generate'] as const
/** What the running editor can do if it lists the tool. */
const IN_TOOLS = [
  ['comments', 'AddCommentBox'],
  ['nodeData', 'GetNodeDataView'],
] as const

export type UnrealEditor = Editor & {
  connection(): ConnectionState
  onConnection(listener: (state: ConnectionState) => void): () => void
}

function carrierOpener(options: UnrealOptions, openMcp: () => Promise<unknown>): OpenCarrier {
  const remoteControl = (url: string, on: Parameters<OpenCarrier>[0]): Promise<Carrier> =>
    openRemoteControl({
      url,
      ...(options.token === undefined ? {} : { token: options.token }),
      onLoose: on.loose,
      onGone: on.gone,
    })
  const remoteExecution = (group: string | undefined, on: Parameters<OpenCarrier>[0]): Promise<Carrier> =>
    openRemoteExecution({
      ...(group === undefined ? {} : { group }),
      ...(options.project === undefined ? {} : { project: options.project }),
      onGone: on.gone,
    })
  switch (options.driver) {
    case 'remote-control':
      return (on) => remoteControl(options.url ?? REMOTE_CONTROL_URL, on)
    case 'remote-execution':
      return (on) => remoteExecution(options.url?.replace(/^udp:\/\//, '') ?? options.multicastGroup, on)
    case 'unreal-mcp':
      return async (on) => {
        await openMcp()
        try {
          return await remoteControl(options.remoteControlUrl ?? REMOTE_CONTROL_URL, on)
        } catch {
          try {
            return await remoteExecution(options.multicastGroup, on)
          } catch {
            throw new PcgError('EDITOR_UNAVAILABLE', WAYS_OUT.mcpAlone)
          }
        }
      }
  }
}

/** Unreal's own MCP server, where one is set up, and what it describes. */
function mcpServer(url: string | null) {
  let opened: UnrealMcp | null = null
  let tools: Described = new Map()
  async function open(): Promise<UnrealMcp | null> {
    await opened?.close()
    opened = null
    if (url === null) return null
    const made = await openUnrealMcp(url)
    opened = made
    // Without a description requests have the arguments of the 5.8 listing.
    tools = await made
      .describe(TOOLSET)
      .then((text) => toolsIn(parseBounded(text)))
      .catch(() => new Map())
    return made
  }
  return {
    open,
    get: async () => opened ?? (await open().catch(() => null)),
    described: () => tools,
    close: async () => opened?.close(),
  }
}

/** What the connection goes through, as events. */
function announce(connection: Connection, emit: (event: EditorEvent) => void): void {
  let error: string | null = null
  let status: EditorState['status'] = 'disconnected'
  connection.onChange((state) => {
    if (state.error !== error && state.error !== null) emit({ type: 'log', level: 'error', text: state.error })
    error = state.error
    if (state.status !== status) emit({ type: 'editor.status', status: state.status })
    status = state.status
  })
}

function observe(connection: Connection, emit: (event: EditorEvent) => void): Observer {
  let seen: { readonly project: string | null; readonly pid: number | null } = { project: null, pid: null }
  connection.onChange(({ identity, proof }) => {
    // Folders of another machine are not ours to read.
    if (identity && proof === 'project folder') seen = { project: identity.project, pid: identity.pid }
  })
  return createObserver(
    () => {
      const { status, running, session } = connection.state()
      const link = status === 'connected' || status === 'busy' ? 'up' : status === 'connecting' ? 'connecting' : 'down'
      return { link, callMs: status === 'busy' ? Number.POSITIVE_INFINITY : 0, op: running, session, ...seen }
    },
    (activity) => emit({ type: 'editor.activity', activity }),
  )
}

/** Each tool in the turn of its caller. */
function inTurns(session: EditorSession, tools: Tools): Tools {
  const wrapped = Object.entries(tools).map(([name, run]) => [
    name,
    // The pair of a tool and its input is that of the table.
    (input: never, context: CallContext) => session.as(context, () => run(input, context) as Promise<unknown>),
  ])
  return Object.fromEntries(wrapped) as Tools
}

export function openUnrealEditor(options: UnrealOptions): UnrealEditor {
  const listeners = new Set<(event: EditorEvent) => void>()
  const emit = (event: EditorEvent) => {
    for (const listener of listeners) listener(event)
  }
  const server = mcpServer(options.driver === 'unreal-mcp' ? (options.url ?? MCP_URL) : (options.mcpUrl ?? null))
  const direct = createConnection({ ...options, open: carrierOpener(options, server.open) })
  announce(direct, emit)
  const observer = observe(direct, emit)
  const connection = patient(direct, observer, options.callTimeoutMs ?? STARTING_MS)
  const toolset = createToolset(connection, server.get, server.described)
  const session = createSession(connection, toolset, emit)
  if (options.autoConnect ?? true) void connection.connect().catch(() => undefined)

  const inspection = inspectionTools(session)
  const tools = inTurns(session, {
    ...graphTools(session),
    ...nodeTools(session),
    ...settingsTools(session),
    ...parameterTools(session),
    ...componentTools(session),
    ...volumeTool(session),
  })
  return {
    get capabilities() {
      return [...ALWAYS, ...IN_TOOLS.flatMap(([capability, tool]) => (toolset.offers(tool) ? [capability] : []))]
    },
    // Keys of the table that inspectionTools implements.
    inspects: Object.keys(INSPECTION).filter((name) => Object.hasOwn(inspection, name)) as InspectionName[],
    tools,
    inspection,
    state() {
      const { status, error, identity, latencyMs, lastSeenAt } = connection.state()
      return {
        status,
        error,
        project: identity?.project_file.replace(/\.uproject$/, '') ?? null,
        level: identity?.level ?? null,
        engine: identity?.engine ?? null,
        latencyMs,
        lastSeenAt,
        activity: observer.now(),
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    history: (query) => session.history(query),
    undo: (selection, context, dryRun = false) => undo(session, selection, context, dryRun),
    readLevel: (resolution, context) => readLevel(session, resolution, context),
    importSite: (context) => importSite(session, context),
    capture: (view, signal) => capture(session, view, signal),
    async endTurn() {
      if (connection.state().status === 'connected') await connection.call('finish_turn', {})
    },
    place: (graph, layout, known = {}) => placeLayout(session, graph, layout, known),
    changeList: (selection, submit, context) => changeList(session, selection, submit, context),
    answerDialog: observer.answer,
    async close() {
      observer.close()
      connection.close()
      await server.close()
      listeners.clear()
    },
    /** Rejects with what is missing in the editor; afterwards the connection keeps itself up. */
    async connect() {
      const was = connection.state().status
      await connection.connect()
      return was !== 'connected' && was !== 'busy'
    },
    async disconnect() {
      const was = connection.state().status
      if (was !== 'disconnected') connection.disconnect()
      return was !== 'disconnected'
    },
    connection: () => connection.state(),
    onConnection: (listener) => connection.onChange(listener),
  }
}
