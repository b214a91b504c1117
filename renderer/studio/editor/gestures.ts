// Gestures of a person: one after another, each taken back as one, whole or not at all. Undo is the editor's; only
// arrangements, which no history holds, are taken back from here.
import type { QueryClient } from '@tanstack/react-query'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { ApiError, type PcgLayout } from '#contract'
import type { Args, Output, ToolName } from '#pcg-catalog'
import { api } from '../../api/api.ts'
import { type Rearrangement, rearranged } from '../model/arrangement.ts'
import { type Batch, callTool } from './calls.ts'
import { layoutQuery, reread } from './queries.ts'

/** What a gesture does to the graph; what it answers is how things lie afterwards. */
export type Edit = (
  call: <K extends ToolName>(tool: K, args: Args<K>) => Promise<Output<K>>,
) => Promise<Rearrangement | undefined>

export type Gesture = { readonly label: string; readonly edit?: Edit; readonly arrange?: Rearrangement }

export type Selection = { readonly batchId: string } | { readonly changeId: number }
export type Step = {
  readonly label: string
  readonly at: number
  /** What the editor is to take back, newest first; empty where only the arrangement changed. */
  readonly edits: readonly Selection[]
  readonly back: Rearrangement | null
}
export type GestureState = {
  readonly busy: string | null
  readonly done: readonly Step[]
  readonly undone: readonly Step[]
  /** How many gestures were done in all: tells two of the same name apart. */
  readonly count: number
}

export type Gestures = {
  readonly editor: string
  readonly state: StoreApi<GestureState>
  /** Answers whether it was done; what was half done has been taken back. */
  perform(gesture: Gesture): Promise<void>
  undo(): Promise<Step | undefined>
  redo(): Promise<Step | undefined>
  /** Takes back what somebody did, as a step of its own that can be undone. */
  revert(label: string, edits: Selection): Promise<void>
  /** Whether this batch was made here. */
  owns(batchId: string): boolean
}

const MOST_STEPS = 500

export function createGestures(queries: QueryClient, editor: string, graph: string): Gestures {
  const state = createStore<GestureState>(() => ({ busy: null, done: [], undone: [], count: 0 }))
  let turn: Promise<unknown> = Promise.resolve()
  const own = new Set<string>()

  /** `edits` is asked when the work is over: what only lies elsewhere is no reason to read the whole graph again. */
  function inTurn<T>(label: string, work: () => Promise<T>, edits: () => boolean = () => true): Promise<T> {
    const mine = turn.then(async () => {
      state.setState({ busy: label })
      try {
        return await work()
      } finally {
        await reread(queries, editor, graph, edits() ? 'all' : 'layout')
        state.setState({ busy: null })
      }
    })
    turn = mine.catch(() => undefined)
    return mine
  }

  /** Somebody else may have arranged in the meantime: then it is read again and tried once more. */
  async function arrange(change: Rearrangement): Promise<Rearrangement> {
    for (let attempt = 0; ; attempt += 1) {
      const layout = await queries.fetchQuery({ ...layoutQuery(editor, graph), staleTime: 0 })
      const { next, back } = rearranged(layout, change)
      try {
        const saved = await api.pcg.saveLayout({
          params: { name: editor },
          query: { graph },
          body: { ...plain(next), revision: layout.revision },
        })
        queries.setQueryData(layoutQuery(editor, graph).queryKey, saved)
        return back
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'PRECONDITION_FAILED') || attempt > 0) throw error
      }
    }
  }

  async function takeBack(edits: readonly Selection[]): Promise<readonly Selection[]> {
    const made: Selection[] = []
    for (const selection of edits) {
      const newest = (await changesOf(editor, 1))[0]?.id ?? 0
      const { failed } = await api.pcg.undo({ params: { name: editor }, body: selection })
      if (failed) throw new ApiError(409, { code: 'NOT_UNDOABLE', message: failed.message, request_id: '' })
      const since = await changesOf(editor, 50)
      for (const { id, tool } of since) if (id > newest && tool === 'undo') made.push({ changeId: id })
    }
    return made
  }

  /** Takes the newest of one list back, and puts its own way back on the other. */
  function reverse(from: 'done' | 'undone'): Promise<Step | undefined> {
    const to = from === 'done' ? 'undone' : 'done'
    let edited = false
    const work = async (): Promise<Step | undefined> => {
      const step = state.getState()[from].at(-1)
      if (!step) return undefined
      edited = step.edits.length > 0
      const edits = await takeBack(step.edits)
      const back = step.back && (await arrange(step.back))
      state.setState((now) => ({
        ...now,
        [from]: now[from].slice(0, -1),
        [to]: [...now[to], { ...step, edits, back }],
      }))
      return step
    }
    return inTurn(from === 'done' ? 'Undo' : 'Redo', work, () => edited)
  }

  function done(step: Step): void {
    state.setState(({ done: before, count }) => ({
      done: [...before, step].slice(-MOST_STEPS),
      undone: [],
      count: count + 1,
    }))
  }

  return {
    editor,
    state,
    owns: (batchId) => own.has(batchId),
    revert: (label, selection) =>
      inTurn(label, async () => done({ label, at: Date.now(), edits: await takeBack([selection]), back: null })),
    perform({ label, edit, arrange: arrangement }) {
      const work = async (): Promise<void> => {
        const batch: Batch = { batchId: crypto.randomUUID(), label: label.slice(0, 120) }
        own.add(batch.batchId)
        let changed = false
        let back: Rearrangement | null = null
        try {
          const after = await edit?.((tool, args) =>
            callTool(editor, tool, args, batch, () => {
              changed = true
            }),
          )
          const change = after ?? arrangement
          if (change) back = await arrange(change)
        } catch (error) {
          // Half a gesture is worse than none. What changed nothing left nothing to take back.
          if (changed)
            await api.pcg.undo({ params: { name: editor }, body: { batchId: batch.batchId } }).catch(() => undefined)
          throw error
        }
        done({ label, at: Date.now(), edits: changed ? [{ batchId: batch.batchId }] : [], back })
      }
      return inTurn(label, work, () => edit !== undefined)
    },
    undo: () => reverse('done'),
    redo: () => reverse('undone'),
  }
}

/** Of the level too: what was done there belongs to no graph. */
async function changesOf(editor: string, limit: number) {
  return (await api.pcg.history({ params: { name: editor }, query: { limit: String(limit) } })).items
}

/** A stored layout without what only its record has. */
function plain({
  nodes,
  comments,
  reroutes,
  bookmarks,
}: Pick<PcgLayout, 'nodes' | 'comments' | 'reroutes' | 'bookmarks'>) {
  return { nodes: { ...nodes }, comments: [...comments], reroutes: [...reroutes], bookmarks: [...bookmarks] }
}
