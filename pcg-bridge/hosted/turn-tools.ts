// A turn of an agent shown and taken back: what it changed in a graph, instance counts and pictures from one camera.
import { randomUUID } from 'node:crypto'
import type { AuthoringOutput } from '../catalog/index.ts'
import { type CallContext, USUAL_VOLUME } from '../contract/index.ts'
import { type Editor, PcgError } from '../editor/editor.ts'
import { decodePng } from '../embedded/png.ts'
import { pngDiff } from '../engine/diff-png.ts'
import { pngOf } from '../picture/png.ts'
import { toAsset } from '../review/asset.ts'
import { diffGraphs, diffText, type ReviewDiff } from '../review/diff.ts'
import { emptyLayout, type ReviewGraph } from '../review/graph.ts'
import { diffScene } from '../review/picture.ts'
import { type Converted, fromDocument } from '../review/transfer.ts'
import type { Authoring } from './authoring.ts'
import { capturedOf, instancesOf, type TurnStart, type WatchedTurns } from './before-turn.ts'
import type { Experiment } from './experiments.ts'
import { documentOf } from './snapshot.ts'
import { ofActor } from './verify.ts'

export type BeforeAndAfter = AuthoringOutput<'show_pcg_turn'>['before_and_after']
type Versions = { readonly path: string; readonly before: ReviewGraph; readonly diff: ReviewDiff }
type Wanted = { readonly actor: string | undefined; readonly picture: number }

/** Two runs of the graph: a turn that takes longer is shown without pictures. */
const MOST_MS = 8000
const MOST_ACTORS = 50
const MOST_DRAWN_NODES = 300
const MOST_DOTS = 1_500_000
const MOST_LINES = 300
const MOST_CHANGES = 2000

export function diffLines(diff: ReviewDiff): string {
  const lines = diffText(diff).split('\n')
  const more = lines.length - MOST_LINES
  return more > 0 ? [...lines.slice(0, MOST_LINES), `… and ${more} more`].join('\n') : lines.join('\n')
}

function drawn(before: ReviewGraph, diff: ReviewDiff): string | null {
  const most = Math.max(before.nodes.size, diff.after.nodes.size)
  return most > MOST_DRAWN_NODES ? null : pngDiff(diffScene(before, diff), MOST_DOTS).toString('base64')
}

/** The first actor of the level whose component runs the graph. */
async function actorOf({ tools, inspection }: Editor, path: string, context: CallContext): Promise<string | null> {
  const { actors } = (await inspection.list_pcg_actors?.({})) ?? { actors: [] }
  for (const { actor_name } of actors.filter(({ has_component }) => has_component).slice(0, MOST_ACTORS)) {
    const { graph_path } = await tools.get_pcg_component_info({ actor_name }, context)
    if (graph_path?.toLowerCase() === path.toLowerCase()) return actor_name
  }
  return null
}

const deltaOf = (before: number | null, after: number | null): number | null =>
  before === null || after === null ? null : after - before

/** Runs both versions, where the editor can; they change nothing. */
export async function simulatedTurn(
  { editor, testsOf }: Experiment,
  { path, before, diff }: Versions,
  { actor: given, picture }: Wanted,
  context: CallContext,
): Promise<BeforeAndAfter | null> {
  if (!editor.simulate) return null
  const actor = given ?? (await actorOf(editor, path, context))
  const tests = actor === null ? await testsOf(path) : null
  const run = (version: ReviewGraph) => ({
    ...ofActor(path, ''),
    actor,
    halfSize: tests?.volume ?? USUAL_VOLUME,
    seed: tests?.seed ?? null,
    version: toAsset(version),
    measure: { assertions: [], picture, view: 'component' as const },
  })
  const limit = AbortSignal.timeout(MOST_MS)
  const signal = context.signal ? AbortSignal.any([context.signal, limit]) : limit
  const made = await editor.simulate([run(before), run(diff.after)], { ...context, signal })
  context.signal?.throwIfAborted()
  const [old, now] = made.map((each) => ('measured' in each ? each.measured : null))
  const failed = made.find((each) => 'error' in each)
  return {
    actor_name: actor,
    instances_before: old?.instances ?? null,
    instances_after: now?.instances ?? null,
    instances_delta: deltaOf(old?.instances ?? null, now?.instances ?? null),
    picture_graph: drawn(before, diff),
    picture_before: old?.picture ?? null,
    picture_after: now?.picture ?? null,
    error: limit.aborted ? `Not drawn: two runs took more than ${MOST_MS / 1000} s` : (failed?.error ?? null),
  }
}

/** Transparent parts of a capture are its ground; nothing of the file but its pixels is passed on. */
function opaque(picture: string): string | null {
  const read = decodePng(Buffer.from(picture, 'base64'))
  if (!read) return null
  for (let at = 3; at < read.pixels.length; at += 4) read.pixels[at] = 255
  return pngOf(read.pixels, read.width, read.height).toString('base64')
}

/** The level now from the camera that the picture before was taken with, or why there are no two pictures. */
async function capturedTurn(editor: Editor, { captured: before }: TurnStart, signal: AbortSignal | undefined) {
  const after = 'reason' in before ? before : await capturedOf(editor, before, signal)
  const pictures = [before, after].map((each) => ('picture' in each ? opaque(each.picture) : null))
  const [picture_before, picture_after] = pictures.includes(null) ? [null, null] : pictures
  const reason = 'reason' in after ? after.reason : 'the editor wrote a picture in a form that is not known'
  return {
    picture_before: picture_before ?? null,
    picture_after: picture_after ?? null,
    error: picture_before ? null : `No pictures: ${reason}`,
  }
}

/** Of a real editor: counts and picture of now, beside those before the first edit. */
async function countedTurn(
  editor: Editor,
  start: TurnStart,
  { path, before, diff }: Versions,
  { actor: given }: Wanted,
  context: CallContext,
): Promise<BeforeAndAfter> {
  const actor = given ?? (await actorOf(editor, path, context))
  const now = actor === null ? null : ((await instancesOf(editor)).get(actor) ?? null)
  const then = actor === null ? null : (start.instances.get(actor) ?? null)
  return {
    actor_name: actor,
    instances_before: then,
    instances_after: now,
    instances_delta: deltaOf(then, now),
    picture_graph: drawn(before, diff),
    ...(await capturedTurn(editor, start, context.signal)),
  }
}

const isBy =
  ({ actor, program }: CallContext) =>
  (change: { readonly actor: string; readonly program?: string | undefined }): boolean =>
    change.actor === actor && (change.program ?? '') === (program ?? '')

/** A version of a turn has no titles and places: they are not compared. */
const plain = (graph: ReviewGraph): ReviewGraph => ({
  ...graph,
  nodes: new Map([...graph.nodes].map(([id, node]) => [id, { ...node, title: null }])),
  layout: emptyLayout(),
})

export function turnTools(
  site: Experiment,
  turns: Pick<WatchedTurns, 'startOf'>,
  read: (path: string, context: CallContext) => Promise<Converted>,
): Pick<Authoring, 'show_pcg_turn' | 'undo_pcg_turn'> {
  const { editor } = site
  return {
    async show_pcg_turn({ pcg_graph_path, actor_name, picture }, context) {
      const start = turns.startOf(context, pcg_graph_path)
      if (!start)
        throw new PcgError(
          'INVALID_ARGUMENT',
          `You have not edited ${pcg_graph_path ?? 'a graph'} since the gateway started`,
        )
      const path = start.graph
      const before = plain(fromDocument(documentOf(path, start.state)).graph)
      const { tests: _tests, ...after } = plain((await read(path, context)).graph)
      const versions = { path, before, diff: diffGraphs(before, { ...after, tests: before.tests }) }
      const wanted = { actor: actor_name, picture }
      const own = editor
        .history({ graph: path, limit: MOST_CHANGES })
        .filter(({ id, undone, undoable, tool }) => id > start.since && !undone && undoable && tool !== 'undo')
        .filter(isBy(context))
      return {
        asset_path: path,
        batch_ids: [...new Set(own.flatMap(({ batchId }) => batchId ?? []))],
        diff: diffLines(versions.diff),
        change_count: versions.diff.changes.length,
        before_and_after:
          (await simulatedTurn(site, versions, wanted, context)) ??
          (await countedTurn(editor, start, versions, wanted, context)),
      }
    },

    async undo_pcg_turn({ batch_ids }, context) {
      const changes = editor.history({ limit: MOST_CHANGES })
      const undone: string[] = []
      for (const batchId of batch_ids) {
        const own = changes.filter((change) => change.batchId === batchId)
        if (own.length === 0 || !own.every(isBy(context)))
          return { undone, error: `${batchId} is no batch of yours: nothing more was undone` }
        const by = { ...context, batchId: `undo-${randomUUID()}`, label: `Undo ${batchId}` }
        const { failed } = await editor.undo({ batchId }, by)
        if (failed) return { undone, error: failed.message }
        undone.push(batchId)
      }
      return { undone, error: null }
    },
  }
}
