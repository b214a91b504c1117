// Live editors: opened from their records, followed, closed; one operation of an editor at a time.

import type { EditorHost, HostedEditor, Toolset } from '#pcg-contract'
import { EDITOR_SUFFIXES, editorBackends } from '../contract/admin/pcg-records.ts'
import { GatewayError } from '../contract/error.ts'
import type { Events } from '../live/events.ts'
import { prepareTools, storeTools } from '../operations/backends/discovered-tools.ts'
import type { Base } from '../records/base.ts'
import { SYSTEM } from '../records/changes.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { backendByName, insertBackend, updateBackend } from '../storage/backends.ts'
import { type EditorRow, editorByName, pinEditor } from '../storage/editors.ts'
import { jsonText } from '../storage/json-text.ts'
import type { Query, Tx } from '../storage/schema.ts'
import { wsTargetRows } from '../storage/ws-targets.ts'
import { sidecarFolder, vettedAddress } from './address.ts'
import { driverOf, type LiveEditor } from './present.ts'
import { keepAutomatic } from './snapshots.ts'

export type LiveEditorsDeps = Pick<Base, 'database' | 'changes' | 'outbound' | 'box' | 'log' | 'clock' | 'newId'> & {
  readonly registry: LiveRegistry
  readonly host: EditorHost
  readonly events: Pick<Events, 'emit'>
  readonly dataDir: string
}

export const tokenRef = (name: string): string => `pcg-editors/${name}/token`
export const notFound = (): GatewayError => new GatewayError('EDITOR_NOT_FOUND', 'Editor not found')

/** Names of its backends that are its own: another backend, or an editor of such a name, may have been there first. */
export async function ownBackends(query: Query, editor: string): Promise<readonly string[]> {
  const own: string[] = []
  for (const name of editorBackends(editor)) {
    const row = await backendByName(query, name)
    if (row?.kind === 'pcg' && (name === editor || !(await editorByName(query, name)))) own.push(name)
  }
  return own
}

/** Those that it does not have yet, where their names are free. */
export async function insertBackends(
  tx: Tx,
  editor: string,
  { teamId, author, at }: { readonly teamId: number | null; readonly author: string | null; readonly at: string },
): Promise<void> {
  for (const name of editorBackends(editor)) {
    if ((await backendByName(tx, name)) || (await wsTargetRows.byName(tx, name))) continue
    await insertBackend(tx, {
      name,
      kind: 'pcg',
      source: 'manual',
      base_url: `gantry://${name}`,
      tags: jsonText([]),
      team_id: teamId,
      created_at: at,
      updated_at: at,
      created_by: author,
      discovered_at: at,
      enabled: 1,
      revision: 1,
    })
  }
}

/** A newer Gantry may bring other tools: what is listed is what this one has, and configuration stays by name. */
async function storeBackends(tx: Tx, name: string, hosted: HostedEditor, at: string): Promise<readonly string[]> {
  const first = await backendByName(tx, name)
  if (first === undefined) throw notFound()
  await insertBackends(tx, name, { teamId: first.team_id, author: first.created_by, at })
  const own = await ownBackends(tx, name)
  for (const [backend, local] of toolsets(name, hosted)) {
    const row = own.includes(backend) ? await backendByName(tx, backend) : undefined
    if (row === undefined) continue
    const { diff } = await storeTools(tx, row.id, await prepareTools(definitionsOf(local)), at)
    if (diff.added.length + diff.removed.length + diff.changed.length > 0)
      await updateBackend(tx, row.id, { discovered_at: at, description: row.description ?? local.description })
  }
  return own
}

/** Opening, changing and closing one editor take turns; editors do not wait for each other. */
function createTurns() {
  const turns = new Map<string, Promise<unknown>>()
  function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const mine = (turns.get(name) ?? Promise.resolve()).then(work)
    const settled = mine.then(
      () => undefined,
      () => undefined,
    )
    turns.set(name, settled)
    void settled.then(() => turns.get(name) === settled && turns.delete(name))
    return mine
  }
  return { inTurn, allDone: () => Promise.all(turns.values()) }
}

const storedOf = (row: EditorRow, dataDir: string) => ({
  name: row.name,
  driver: driverOf(row),
  autoConnect: row.auto_connect === 1,
  project: row.project_dir,
  sidecarDir: row.sidecar_dir === null ? null : sidecarFolder(row.sidecar_dir, dataDir),
})

export function createLiveEditors(parts: LiveEditorsDeps) {
  const { database, changes, registry, outbound, box, host, events, dataDir, log, clock, newId } = parts
  const lives = new Map<string, LiveEditor>()
  const { inTurn, allDone } = createTurns()
  let closed = false
  const at = (): string => new Date(clock.now()).toISOString()

  async function tokenOf(row: EditorRow): Promise<string | null> {
    return row.token === null ? null : box.open(row.token, tokenRef(row.name))
  }

  /** Names were resolved when a person set them, and are not asked again: only policy is. */
  async function addressOf(row: EditorRow): Promise<string | null> {
    const address = await vettedAddress(driverOf(row), row.resolved_url ?? row.url, outbound)
    if (row.resolved_url === null && address !== null) await database.write((tx) => pinEditor(tx, row, address))
    return address
  }

  function follow(name: string, hosted: HostedEditor): void {
    const note = (): void => {
      const { status, error } = hosted.state()
      const gone = status === 'error' || status === 'disconnected'
      registry.note(name, { status: gone ? 'unreachable' : 'healthy', lastError: error })
    }
    hosted.subscribe(({ type, ...data }) => {
      if (type === 'editor.status') note()
      events.emit('pcg', type, { editor: name, ...data }, registry.known(name)?.teamId ?? null)
    })
    note()
  }

  /** Opens a record. What cannot be opened is reported in its state, and harms no other editor. */
  async function open(row: EditorRow): Promise<void> {
    try {
      const hosted = await host.open({
        ...storedOf(row, dataDir),
        url: await addressOf(row),
        token: await tokenOf(row),
      })
      lives.set(row.name, { hosted })
      const own = await changes({ actor: SYSTEM, requestId: newId() }, (tx) =>
        storeBackends(tx, row.name, hosted, at()),
      )
      for (const [name, local] of toolsets(row.name, hosted)) {
        if (!own.includes(name)) {
          log.warn('a toolset of an editor is not served: its name is taken by another backend', { name })
          continue
        }
        await registry.reload(name, 'changed')
        registry.attach(name, local)
      }
      follow(row.name, hosted)
      hosted.onTurn(({ actor, ...before }) => {
        keepAutomatic(database, row.id, before, `Before ${actor}`.slice(0, 120), clock).catch((error: unknown) =>
          log.warn('how a graph stood before a turn was not kept', { editor: row.name, error }),
        )
      })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log.error('an editor could not be opened', { editor: row.name, error })
      lives.set(row.name, { hosted: null, error: reason })
    }
  }

  async function shut(name: string): Promise<void> {
    const live = lives.get(name)
    lives.delete(name)
    await live?.hosted?.close()
  }

  return {
    inTurn,
    open,
    shut,
    get: (name: string): LiveEditor | undefined => lives.get(name),

    /** By editor, for the gauge. */
    waiting: (): readonly (readonly [string, number])[] =>
      [...lives].map(([name, { hosted }]) => [name, hosted?.state().queue.waiting ?? 0] as const),

    async close(): Promise<void> {
      if (closed) return
      closed = true
      await allDone()
      await Promise.all([...lives.keys()].map(shut))
    },
  }
}

const toolsets = (name: string, hosted: HostedEditor): readonly (readonly [string, Toolset])[] => [
  [`${name}${EDITOR_SUFFIXES.tools}`, hosted.tools],
  [`${name}${EDITOR_SUFFIXES.inspection}`, hosted.inspection],
  [`${name}${EDITOR_SUFFIXES.authoring}`, hosted.authoring],
]

const definitionsOf = ({ tools }: Toolset) =>
  tools.map(({ _meta, ...tool }) => ({
    ...tool,
    sourceName: tool.name,
    places: {},
    ...(_meta && { mcp: { name: tool.name, extra: { _meta } } }),
  }))
