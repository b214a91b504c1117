// Editor records, each with three backends: listed, created, changed, deleted. Contract 7.9.

import type { HostedEditor } from '#pcg-contract'
import { type EditorInput, type EditorPatch, editorBackends, type PcgEditor } from '../contract/admin/pcg-records.ts'
import { GatewayError } from '../contract/error.ts'
import type { Page } from '../contract/page.ts'
import { type Actor, mayTouch } from '../contract/role.ts'
import { requireAdminToKeep } from '../operations/backends/credential-binding.ts'
import { type By, difference, type Revision, requireRevision, SYSTEM } from '../records/changes.ts'
import { requireNoTarget } from '../records/shared-names.ts'
import type { Backend } from '../registry/backend.ts'
import { backendByName, deleteBackend } from '../storage/backends.ts'
import {
  allEditors,
  deleteEditor,
  type EditorRow,
  editorByName,
  insertEditor,
  updateEditor,
} from '../storage/editors.ts'
import { afterName, type Paging, pageByName } from '../storage/page.ts'
import { checkProject, checkSidecar, placeOf, vettedAddress } from './address.ts'
import {
  createLiveEditors,
  insertBackends,
  type LiveEditorsDeps,
  notFound,
  ownBackends,
  tokenRef,
} from './live-editors.ts'
import { apiError, driverOf, presentEditor } from './present.ts'
import { createSharing } from './sharing.ts'

type EditorsDeps = LiveEditorsDeps & { readonly discoverPorts: readonly number[] }

export type Editors = ReturnType<typeof createEditors>

const FIRST = 'pcg'
const FIRST_MADE = 'pcg_first_editor'
const tokenWarning = (place: string): string =>
  `The stored token is removed: it was not given for ${place}. Set it again, or let an admin make the change with "keepCredential": true.`
const taken = (name: string): GatewayError =>
  new GatewayError(
    'NAME_COLLISION',
    `The name "${name}" is taken: an editor needs its own and those ending in -inspect and -author`,
  )

export function createEditors(parts: EditorsDeps) {
  const { database, changes, registry, outbound, box, host, dataDir, discoverPorts, log, clock, newId } = parts
  const lives = createLiveEditors(parts)
  const { inTurn, open, shut } = lives
  const at = (): string => new Date(clock.now()).toISOString()

  function backendOf(actor: Actor, name: string): Backend {
    const backend = registry.known(name)
    if (backend?.kind !== 'pcg' || !mayTouch(actor, backend)) throw notFound()
    return backend
  }

  async function required(actor: Actor, name: string): Promise<EditorRow> {
    const row = await editorByName(database.query, name)
    if (row === undefined) throw notFound()
    backendOf(actor, name)
    return row
  }

  async function insert(
    by: By,
    input: EditorInput,
    {
      resolved = null,
      token = null,
      sidecarDir = null,
    }: Partial<Record<'resolved' | 'token' | 'sidecarDir', string | null>> = {},
  ): Promise<void> {
    const stamps = { created_at: at(), updated_at: at(), created_by: by.actor.name }
    await changes(by, async (tx, audit) => {
      for (const backend of editorBackends(input.name)) {
        if (await backendByName(tx, backend)) throw taken(input.name)
        await requireNoTarget(tx, backend)
      }
      await insertBackends(tx, input.name, { teamId: by.actor.teamId, author: by.actor.name, at: stamps.created_at })
      await insertEditor(tx, {
        ...stamps,
        name: input.name,
        driver: input.driver,
        url: input.url ?? null,
        resolved_url: resolved,
        token,
        auto_connect: input.autoConnect ? 1 : 0,
        sidecar_dir: sidecarDir,
        project_dir: input.projectDir ?? null,
      })
      await audit('pcg.editor.create', input.name, {
        driver: input.driver,
        url: input.url ?? null,
        ...(token === null ? {} : { token: '[set]' }),
      })
    })
    for (const backend of editorBackends(input.name)) await registry.reload(backend, 'registered')
  }

  async function create(by: By, input: EditorInput): Promise<PcgEditor> {
    const resolved = await vettedAddress(input.driver, input.url ?? null, outbound)
    checkProject(input.driver, input.projectDir)
    const { sidecarDir = null } = input
    if (sidecarDir !== null) checkSidecar(by.actor, sidecarDir, dataDir)
    if (registry.known(input.name)) throw taken(input.name)
    const token = input.token == null ? null : await box.seal(input.token, tokenRef(input.name))
    return inTurn(input.name, async () => {
      await insert(by, input, { resolved, token, sidecarDir })
      const row = await required(by.actor, input.name)
      await open(row)
      return presentEditor(row, lives.get(input.name))
    })
  }

  async function update(
    by: By,
    name: string,
    { keepCredential = false, ...patch }: EditorPatch,
    expected: readonly Revision[],
  ): Promise<PcgEditor> {
    requireAdminToKeep(by.actor, keepCredential)
    const row = await required(by.actor, name)
    requireRevision(row.revision, expected)
    const driver = patch.driver ?? driverOf(row)
    // An address belongs to its driver: a change of driver without one goes to where that driver's editors are by default.
    const url = patch.url === undefined ? (patch.driver === undefined ? row.url : null) : patch.url
    const placed = patch.url !== undefined || patch.driver !== undefined
    const resolved = placed ? await vettedAddress(driver, url, outbound) : row.resolved_url
    checkProject(driver, patch.projectDir)
    const { sidecarDir } = patch
    // The stored value was checked when a permitted actor set it.
    if (sidecarDir != null && sidecarDir !== row.sidecar_dir) checkSidecar(by.actor, sidecarDir, dataDir)
    const given = patch.token == null ? patch.token : await box.seal(patch.token, tokenRef(name))
    return inTurn(name, async () => {
      const moved = await changes(by, async (tx, audit) => {
        const current = await editorByName(tx, name)
        if (current === undefined) throw notFound()
        requireRevision(current.revision, expected)
        const next = {
          driver,
          url,
          sidecar_dir: sidecarDir === undefined ? current.sidecar_dir : sidecarDir,
          project_dir: patch.projectDir === undefined ? current.project_dir : patch.projectDir,
          auto_connect:
            patch.autoConnect === undefined ? current.auto_connect : patch.autoConnect ? (1 as const) : (0 as const),
        }
        const changed = difference(pick(current), pick(next))
        const repinned = placed && resolved !== current.resolved_url
        if (!changed && !repinned && given === undefined) return { reopens: false }
        const place = placeOf(driver, url)
        const moves = current.token !== null && given === undefined && place !== placeOf(driverOf(current), current.url)
        const detached = moves && !keepCredential
        const token = detached ? null : given
        await updateEditor(tx, current.id, {
          ...next,
          ...(placed && { resolved_url: resolved }),
          ...(token === undefined ? {} : { token }),
          updated_at: at(),
        })
        await audit('pcg.editor.update', name, {
          ...changed,
          ...(repinned && { resolvedUrl: resolved }),
          ...(token == null ? {} : { token: '[set]' }),
          ...(moves && { [detached ? 'credentialDetached' : 'credentialKept']: [place] }),
        })
        const quiet = changed !== undefined && Object.keys(changed.after).every((field) => field === 'autoConnect')
        return {
          reopens: token !== undefined || repinned || !quiet,
          ...(detached && { warnings: [tokenWarning(place)] }),
        }
      })
      const now = await required(by.actor, name)
      if (moved.reopens) {
        await shut(name)
        await open(now)
      }
      return { ...presentEditor(now, lives.get(name)), ...(moved.warnings && { warnings: moved.warnings }) }
    })
  }

  async function setConnected(by: By, name: string, wanted: boolean): Promise<PcgEditor> {
    const row = await required(by.actor, name)
    return inTurn(name, async () => {
      if (wanted && lives.get(name)?.hosted == null) await open(row)
      const live = lives.get(name)
      if (!live?.hosted) throw new GatewayError('EDITOR_UNAVAILABLE', live?.error ?? 'The editor could not be opened')
      try {
        const moved = await (wanted ? live.hosted.connect() : live.hosted.disconnect())
        if (moved)
          await changes(by, (_tx, audit) => audit(wanted ? 'pcg.editor.connect' : 'pcg.editor.disconnect', name))
      } catch (error) {
        const text = apiError(error)
        throw text instanceof GatewayError && wanted
          ? new GatewayError('EDITOR_UNAVAILABLE', text.message, { details: text.extras.details ?? {} })
          : text
      }
      return presentEditor(row, live)
    })
  }

  async function live(actor: Actor, name: string): Promise<{ readonly row: EditorRow; readonly hosted: HostedEditor }> {
    const row = await required(actor, name)
    const found = lives.get(name)
    if (!found?.hosted) throw new GatewayError('EDITOR_UNAVAILABLE', found?.error ?? 'The editor could not be opened')
    return { row, hosted: found.hosted }
  }
  const sharing = createSharing(changes, live)

  return {
    /** Opens the records; the first editor is created at the first start with one enabled. */
    async start(): Promise<void> {
      if ((await database.meta.get(FIRST_MADE)) === undefined) {
        if (editorBackends(FIRST).some((name) => registry.known(name)))
          log.warn('the first editor was not made: its name is taken by another backend', { name: FIRST })
        else await insert({ actor: SYSTEM, requestId: newId() }, { name: FIRST, driver: 'embedded', autoConnect: true })
        await database.meta.set(FIRST_MADE, at())
      }
      await Promise.all((await allEditors(database.query)).map((row) => inTurn(row.name, () => open(row))))
    },

    async list(actor: Actor, { limit, cursor }: Paging): Promise<Page<PcgEditor>> {
      const after = afterName(cursor) ?? ''
      const rows = (await allEditors(database.query))
        .filter(({ name }) => name > after && registry.known(name) !== undefined)
        .filter(({ name }) => mayTouch(actor, backendOf(SYSTEM, name)))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
      return pageByName(
        rows.slice(0, limit + 1).map((row) => presentEditor(row, lives.get(row.name))),
        limit,
        ({ name }) => name,
      )
    },

    async get(actor: Actor, name: string): Promise<PcgEditor> {
      return presentEditor(await required(actor, name), lives.get(name))
    },

    create,
    update,

    async delete(by: By, name: string): Promise<void> {
      await required(by.actor, name)
      await inTurn(name, async () => {
        await shut(name)
        await changes(by, async (tx, audit) => {
          const row = await editorByName(tx, name)
          if (row === undefined) throw notFound()
          const own = await ownBackends(tx, name)
          await deleteEditor(tx, row.id)
          for (const backend of own) {
            const known = await backendByName(tx, backend)
            if (known) await deleteBackend(tx, known.id)
          }
          await audit('pcg.editor.delete', name)
        })
        for (const backend of editorBackends(name)) await registry.reload(backend, 'changed')
      })
    },

    async discover({ actor }: By, { ports }: { readonly ports?: readonly number[] | undefined }) {
      const known = new Set(
        (await allEditors(database.query)).flatMap(({ name, url }) =>
          url !== null && registry.known(name) && mayTouch(actor, backendOf(SYSTEM, name)) ? [bare(url)] : [],
        ),
      )
      const found = await host.discover(ports ?? discoverPorts)
      return {
        items: found.map(({ driver, url, project }) => ({ driver, url, project, known: known.has(bare(url)) })),
      }
    },

    connect: (by: By, name: string) => setConnected(by, name, true),
    disconnect: (by: By, name: string) => setConnected(by, name, false),

    ...sharing,

    /** The record and its live editor, for what is done with it. */
    live,
    required,

    waiting: lives.waiting,
    close: lives.close,
  }
}

const bare = (url: string): string => url.replace('//localhost', '//127.0.0.1').replace(/\/$/, '')

const pick = (
  row: Pick<EditorRow, 'url' | 'sidecar_dir' | 'project_dir' | 'auto_connect' | 'driver'>,
): Readonly<Record<string, unknown>> => ({
  driver: row.driver,
  url: row.url,
  sidecarDir: row.sidecar_dir,
  projectDir: row.project_dir,
  autoConnect: row.auto_connect === 1,
})
