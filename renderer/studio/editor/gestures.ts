// Gestures of a person: one after another, each taken back as one, whole or not at all. Undo is the editor's; only
// arrangements, which no history holds, are taken back from here.
import type { QueryClient } from '@tanstack/react-query'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { ApiError, type PcgChange, type PcgLayout } from '#contract'
import type { Args, Output, ToolName } from '#pcg-catalog'
import { api } from '../../api/api.ts'
import { faultOf } from '../../ui/fault.ts'
import { type Arrangement, type Rearrangement, rearranged } from '../model/arrangement.ts'
import { type GraphView, graphView } from '../model/graph.ts'
import { type Batch, callTool } from './calls.ts'
import { graphQuery, layoutQuery, reread, type Touched } from './queries.ts'
import { NotTakenBack, type Selection, takingBack } from './taking-back.ts'

/** What a gesture does to the graph; what it answers is how things lie afterwards. */
export type Edit = (
  call: <K extends ToolName>(tool: K, args: Args<K>) => Promise<Output<K>>,
) => Promise<Rearrangement | undefined>

export type Gesture = { readonly label: string; readonly edit?: Edit; readonly arrange?: Rearrangement }

/** How the graph stands when the turn of a gesture comes. */
export type Now = { readonly view: GraphView; readonly layout: Arrangement }
/** A gesture that is made when its turn comes, of what those before it have left; undefined where nothing is left to do. */
export type Making = (now: Now) => Gesture | undefined | Promise<Gesture | undefined>

export type Step = {
  readonly label: string
  readonly at: number
  /** What the editor is to take back, newest first; empty where only the arrangement changed. */
  readonly edits: readonly Selection[]
  readonly back: Rearrangement | null
}
export type GestureState = {
  readonly busy: boolean
  readonly done: readonly Step[]
  readonly undone: readonly Step[]
  /** How many gestures were done in all: tells two of the same name apart. */
  readonly count: number
}
export type Gestures = {
  readonly editor: string
  readonly state: StoreApi<GestureState>
  /** Answers whether something was done; what was half done has been taken back. */
  perform(gesture: Gesture | Making): Promise<boolean>
  undo(): Promise<Step | undefined>
  redo(): Promise<Step | undefined>
  /** Back or forth until so many steps are done, with nothing else in between. */
  goTo(length: number): Promise<void>
  /** Takes back what somebody did, as a step of its own that can be undone. */
  revert(label: string, edits: Selection): Promise<void>
  /** Whether this change was made here; then the gesture that made it reads it as well. */
  owns(change: Pick<PcgChange, 'batchId' | 'tool' | 'args'>): boolean
  /** Of how the graph lies: what was saved from here last, or is just being saved. */
  layoutRevision(): number
}
type Pile = 'done' | 'undone'

const MOST_STEPS = 500

/** The graph as it was read last, unless that is known to be old. */
async function readNow(queries: QueryClient, editor: string, graph: string): Promise<Now> {
  const [info, layout] = await Promise.all([
    queries.fetchQuery({ ...graphQuery(editor, graph), staleTime: Infinity }),
    queries.fetchQuery({ ...layoutQuery(editor, graph), staleTime: Infinity }),
  ])
  return { view: graphView(info), layout }
}

/** Arranges the graph; `revision` is the one that was stored last, or is being stored. */
function createArranger(queries: QueryClient, editor: string, graph: string) {
  let revision = 0
  // Another user may have arranged in the meantime: then it is read again and tried once more.
  async function arrange(change: Rearrangement, touched: Touched): Promise<Rearrangement> {
    touched.layout = true
    for (let attempt = 0; ; attempt += 1) {
      const layout = await queries.fetchQuery({ ...layoutQuery(editor, graph), staleTime: 0 })
      const { next, back } = rearranged(layout, change)
      revision = layout.revision + 1
      try {
        const saved = await api.pcg.saveLayout({
          params: { name: editor },
          query: { graph },
          body: { ...plain(next), revision: layout.revision },
        })
        queries.setQueryData(layoutQuery(editor, graph).queryKey, saved)
        // The answer says how everything lies now.
        touched.layout = false
        return back
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'PRECONDITION_FAILED') || attempt > 0) throw error
      }
    }
  }
  return { arrange, revision: () => revision }
}

/** Runs one piece of work after another, and reads again what each has touched. */
function createTurns(queries: QueryClient, editor: string, graph: string, setBusy: (busy: boolean) => void) {
  let turn: Promise<unknown> = Promise.resolve()
  return function inTurn<T>(work: (touched: Touched) => Promise<T>): Promise<T> {
    const mine = turn.then(async () => {
      const touched: Touched = { edits: false, layout: false }
      setBusy(true)
      try {
        return await work(touched)
      } finally {
        await reread(queries, editor, graph, touched)
        setBusy(false)
      }
    })
    turn = mine.catch(() => undefined)
    return mine
  }
}

/** Half a gesture is reverted; where that fails, the error reports it. */
async function takeBackHalf(editor: string, { batchId }: Batch, error: unknown): Promise<void> {
  const { code, message, requestId } = faultOf(error)
  const left = await api.pcg.undo({ params: { name: editor }, body: { batchId } }).then(
    ({ failed }) => failed?.message,
    (problem: unknown) => faultOf(problem).message,
  )
  if (left === undefined) return
  const half = `${message}. What was done before that stands, as it could not be taken back: ${left}`
  throw new ApiError(409, { code, message: half, request_id: requestId })
}

/** Moves the newest step of one pile to the other. */
const moved = (from: Pile, step: Step) => (before: GestureState) => {
  const to = from === 'done' ? 'undone' : 'done'
  return { ...before, [from]: before[from].slice(0, -1), [to]: [...before[to], step] }
}

const withStep =
  (step: Step) =>
  ({ done, count }: GestureState) => ({ done: [...done, step].slice(-MOST_STEPS), undone: [], count: count + 1 })

export function createGestures(queries: QueryClient, editor: string, graph: string): Gestures {
  const state = createStore<GestureState>(() => ({ busy: false, done: [], undone: [], count: 0 }))
  const own = new Set<string>()
  const { takeBack: revert, asked } = takingBack(editor)
  const takeBack = (edits: readonly Selection[], touched: Touched) => {
    touched.edits = touched.layout = true
    return revert(edits)
  }
  const inTurn = createTurns(queries, editor, graph, (busy) => state.setState({ busy }))
  const { arrange, revision } = createArranger(queries, editor, graph)

  /** Takes the newest of one pile back, and puts its own way back on the other. */
  async function reverse(from: Pile, touched: Touched): Promise<Step | undefined> {
    const step = state.getState()[from].at(-1)
    if (!step) return undefined
    const put = (next: Partial<Step>): void => state.setState(moved(from, { ...step, ...next }))
    try {
      const edits = step.edits.length === 0 ? [] : await takeBack(step.edits, touched)
      try {
        put({ edits, back: step.back && (await arrange(step.back, touched)) })
      } catch (error) {
        // The edits are taken back all the same.
        if (edits.length > 0) put({ edits, back: null })
        throw error
      }
    } catch (error) {
      if (!(error instanceof NotTakenBack)) throw error
      const { edits, cause } = error
      state.setState((before) => ({ ...before, [from]: [...before[from].slice(0, -1), { ...step, edits }] }))
      throw cause
    }
    return step
  }

  async function work({ label, edit, arrange: arrangement }: Gesture, touched: Touched): Promise<void> {
    const batch: Batch = { batchId: crypto.randomUUID(), label: label.slice(0, 120) }
    own.add(batch.batchId)
    if (edit) touched.edits = touched.layout = true
    let changed = false
    let back: Rearrangement | null = null
    try {
      const after = await edit?.((tool, args) =>
        callTool(editor, tool, args, batch, () => {
          changed = true
        }),
      )
      const change = after ?? arrangement
      if (change) back = await arrange(change, touched)
    } catch (error) {
      // Half a gesture is worse than none. What changed nothing left nothing to take back.
      if (changed) {
        asked.note({ batchId: batch.batchId })
        await takeBackHalf(editor, batch, error)
      }
      throw error
    }
    state.setState(withStep({ label, at: Date.now(), edits: changed ? [{ batchId: batch.batchId }] : [], back }))
  }

  return {
    editor,
    state,
    owns: ({ batchId, tool, args }) => (batchId === null ? tool === 'undo' && asked.has(args) : own.has(batchId)),
    layoutRevision: revision,
    revert: (label, selection) =>
      inTurn(async (touched) => {
        const edits = await takeBack([selection], touched)
        state.setState(withStep({ label, at: Date.now(), edits, back: null }))
      }),
    perform: (given) =>
      inTurn(async (touched) => {
        const gesture = typeof given === 'function' ? await given(await readNow(queries, editor, graph)) : given
        if (!gesture) return false
        await work(gesture, touched)
        return true
      }),
    undo: () => inTurn((touched) => reverse('done', touched)),
    redo: () => inTurn((touched) => reverse('undone', touched)),
    goTo: (length) =>
      inTurn(async (touched) => {
        const far = (): number => state.getState().done.length - length
        while (far() > 0) await reverse('done', touched)
        while (far() < 0 && (await reverse('undone', touched)));
      }),
  }
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
