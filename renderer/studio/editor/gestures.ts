// A person's gestures: run one at a time, each undone as a whole or not at all. The editor holds the undo history; only
// layouts, which have no history, are undone here.
import type { QueryClient } from '@tanstack/react-query'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { ApiError, type PcgChange, type PcgLayout } from '#contract'
import type { Args, Output, ToolName } from '#pcg-catalog'
import type { PatchReport, PatchStep } from '#pcg-contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { faultOf } from '../../ui/fault.ts'
import { type Arrangement, type Rearrangement, rearranged } from '../model/arrangement.ts'
import { type GraphView, graphView } from '../model/graph.ts'
import { type Batch, callTool, patchGraph } from './calls.ts'
import { graphQuery, layoutQuery, reread, type Touched } from './queries.ts'
import type { Memory } from './remembered-steps.ts'
import { isRefusal, NotTakenBack, type Selection, takingBack } from './taking-back.ts'

/** Applies the gesture to the graph; returns the resulting layout change. */
export type Edit = (
  call: <K extends ToolName>(tool: K, args: Args<K>) => Promise<Output<K>>,
  /** All steps or none, judged before the first. */
  patch: (steps: readonly PatchStep[]) => Promise<PatchReport>,
) => Promise<Rearrangement | undefined>

export type Gesture = {
  readonly label: string
  readonly edit?: Edit
  readonly arrange?: Rearrangement
  /** Gestures with the same id, one after another, are one step. */
  readonly merge?: string
}

/** The state of the graph when a gesture's turn comes. */
export type Now = { readonly view: GraphView; readonly layout: Arrangement }
/** Builds a gesture when its turn comes, from the result of earlier ones; undefined when there is nothing to do. */
export type Making = (now: Now) => Gesture | undefined | Promise<Gesture | undefined>

export type Step = {
  readonly label: string
  readonly at: number
  /** The editor changes to undo, newest first; empty if only the layout changed. */
  readonly edits: readonly Selection[]
  readonly back: Rearrangement | null
  readonly merge?: string
}
export type Blocked = { readonly pile: Pile; readonly step: Step; readonly message: string }
export type GestureState = {
  readonly busy: boolean
  readonly done: readonly Step[]
  readonly undone: readonly Step[]
  /** The step that could not be reversed, until the user decides. */
  readonly blocked: Blocked | null
  /** The number of gestures so far; distinguishes two with the same name. */
  readonly count: number
}
export type Gestures = {
  readonly editor: string
  readonly state: StoreApi<GestureState>
  /** Returns whether something was done; a partial gesture is reverted. */
  perform(gesture: Gesture | Making): Promise<boolean>
  undo(): Promise<Step | undefined>
  redo(): Promise<Step | undefined>
  /** Decides about the blocked step: drops it from its stack, reverses the possible part, or leaves it. */
  resolveBlocked(how: 'skip' | 'part' | 'keep'): Promise<{ readonly applied: number; readonly left: number }>
  /** Undoes or redoes until `steps` gestures are done, without other gestures in between. */
  goTo(length: number): Promise<void>
  /** Reverts changes of any author, newest first, as a gesture that can be undone. */
  revert(label: string, edits: readonly Selection[]): Promise<void>
  /** Whether this page made the change; its gesture then re-reads it. */
  owns(change: Pick<PcgChange, 'batchId' | 'tool' | 'args'>): boolean
  /** The layout revision last saved, or being saved, by this page. */
  layoutRevision(): number
}
type Pile = 'done' | 'undone'

const MOST_STEPS = 500

/** The last read graph, unless it is known to be stale. */
async function readNow(queries: QueryClient, editor: string, graph: string): Promise<Now> {
  const [info, layout] = await Promise.all([
    queries.fetchQuery({ ...graphQuery(editor, graph), staleTime: Infinity }),
    queries.fetchQuery({ ...layoutQuery(editor, graph), staleTime: Infinity }),
  ])
  return { view: graphView(info), layout }
}

/** Saves the layout; `revision` is the one last stored or being stored. */
function createArranger(queries: QueryClient, editor: string, graph: string) {
  let revision = 0
  // Another user may have saved in the meantime: re-reads and retries once.
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
        // The answer contains the whole layout.
        touched.layout = false
        return back
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'PRECONDITION_FAILED') || attempt > 0) throw error
      }
    }
  }
  return { arrange, revision: () => revision }
}

/** Runs jobs one at a time, and re-reads what each touched. */
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

/** Reverts a partial gesture; if that fails, the error reports it. */
async function takeBackHalf(editor: string, { batchId }: Batch, error: unknown): Promise<void> {
  const { code, message, requestId } = faultOf(error)
  const left = await api.pcg.undo({ params: { name: editor }, body: { batchId } }).then(
    ({ failed }) => failed?.message,
    (problem: unknown) => faultOf(problem).message,
  )
  if (left === undefined) return
  const half = t('{message}. What was done before that stands, as it could not be taken back: {left}', {
    message,
    left,
  })
  throw new ApiError(409, { code, message: half, request_id: requestId })
}

/** Moves the newest step from one stack to the other. */
const moved = (from: Pile, step: Step) => (before: GestureState) => {
  const to = from === 'done' ? 'undone' : 'done'
  return { ...before, [from]: before[from].slice(0, -1), [to]: [...before[to], step] }
}

const withStep =
  (step: Step) =>
  ({ done, count }: GestureState) => {
    const last = done.at(-1)
    const merged = step.merge !== undefined && last?.merge === step.merge
    const steps = merged
      ? [...done.slice(0, -1), { ...step, edits: [...step.edits, ...last.edits], back: last.back ?? step.back }]
      : [...done, step].slice(-MOST_STEPS)
    return { done: steps, undone: [], count: count + 1 }
  }

type Reverting = {
  takeBack(edits: readonly Selection[], touched: Touched): Promise<readonly Selection[]>
  takeBackPart: ReturnType<typeof takingBack>['takeBackPart']
  arrange: ReturnType<typeof createArranger>['arrange']
}

/** Undo and redo of steps, and what the user decides about a blocked one. */
function createReversals(state: StoreApi<GestureState>, { takeBack, takeBackPart, arrange }: Reverting) {
  /** Reverts the newest step of one stack and pushes its inverse to the other. */
  async function reverse(from: Pile, touched: Touched): Promise<Step | undefined> {
    const step = state.getState()[from].at(-1)
    if (!step) return undefined
    const put = (next: Partial<Step>): void => state.setState(moved(from, { ...step, ...next }))
    try {
      const edits = step.edits.length === 0 ? [] : await takeBack(step.edits, touched)
      try {
        put({ edits, back: step.back && (await arrange(step.back, touched)) })
      } catch (error) {
        // The edits are undone even if the layout is not.
        if (edits.length > 0) put({ edits, back: null })
        throw error
      }
    } catch (error) {
      const cause = error instanceof NotTakenBack ? error.cause : error
      const current = error instanceof NotTakenBack ? { ...step, edits: error.edits } : step
      if (isRefusal(cause)) state.setState({ blocked: { pile: from, step: current, message: faultOf(cause).message } })
      if (!(error instanceof NotTakenBack)) throw error
      state.setState((before) => ({ ...before, [from]: [...before[from].slice(0, -1), current] }))
      throw cause
    }
    return step
  }

  async function resolve(how: 'skip' | 'part' | 'keep', touched: Touched) {
    const { blocked } = state.getState()
    state.setState({ blocked: null })
    if (!blocked || how === 'keep') return { applied: 0, left: 0 }
    const { pile, step } = blocked
    if (how === 'skip') {
      state.setState((before) => ({ ...before, [pile]: before[pile].slice(0, -1) }))
      return { applied: 0, left: 0 }
    }
    touched.edits = touched.layout = true
    const { made, left } = await takeBackPart(step.edits)
    const back = step.back && (await arrange(step.back, touched))
    state.setState(moved(pile, { ...step, edits: made, back }))
    return { applied: made.length, left }
  }
  return { reverse, resolve }
}

export function createGestures(queries: QueryClient, editor: string, graph: string, memory?: Memory): Gestures {
  const known = memory?.read() ?? { done: [], undone: [] }
  const state = createStore<GestureState>(() => ({ busy: false, ...known, blocked: null, count: 0 }))
  state.subscribe(({ done, undone }, before) => {
    if (done !== before.done || undone !== before.undone) memory?.write({ done, undone })
  })
  const own = new Set<string>()
  const { takeBack: revert, takeBackPart, asked } = takingBack(editor)
  const takeBack = (edits: readonly Selection[], touched: Touched) => {
    touched.edits = touched.layout = true
    return revert(edits)
  }
  const inTurn = createTurns(queries, editor, graph, (busy) => state.setState({ busy }))
  const { arrange, revision } = createArranger(queries, editor, graph)

  const { reverse, resolve } = createReversals(state, { takeBack, takeBackPart, arrange })

  async function work({ label, edit, arrange: arrangement, merge }: Gesture, touched: Touched): Promise<void> {
    const batch: Batch = { batchId: crypto.randomUUID(), label: label.slice(0, 120) }
    own.add(batch.batchId)
    if (edit) touched.edits = touched.layout = true
    let changed = false
    let back: Rearrangement | null = null
    try {
      const onChange = (): void => {
        changed = true
      }
      const after = await edit?.(
        (tool, args) => callTool(editor, tool, args, batch, onChange),
        (steps) => patchGraph({ editor, graph, steps }, batch, onChange),
      )
      const change = after ?? arrangement
      if (change) back = await arrange(change, touched)
    } catch (error) {
      // Reverts a partial gesture; one without changes needs no revert.
      if (changed) {
        asked.note({ batchId: batch.batchId })
        await takeBackHalf(editor, batch, error)
      }
      throw error
    }
    const edits = changed ? [{ batchId: batch.batchId }] : []
    state.setState(withStep({ label, at: Date.now(), edits, back, ...(merge === undefined ? {} : { merge }) }))
  }

  return {
    editor,
    state,
    owns: ({ batchId, tool, args }) => (batchId === null ? tool === 'undo' && asked.has(args) : own.has(batchId)),
    layoutRevision: revision,
    revert: (label, selections) =>
      inTurn(async (touched) => {
        const edits = await takeBack(selections, touched)
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
    resolveBlocked: (how) => inTurn((touched) => resolve(how, touched)),
    goTo: (length) =>
      inTurn(async (touched) => {
        const far = (): number => state.getState().done.length - length
        while (far() > 0) await reverse('done', touched)
        while (far() < 0 && (await reverse('undone', touched)));
      }),
  }
}

/** A layout without the fields of its stored record. */
function plain({
  nodes,
  comments,
  reroutes,
  bookmarks,
}: Pick<PcgLayout, 'nodes' | 'comments' | 'reroutes' | 'bookmarks'>) {
  return { nodes: { ...nodes }, comments: [...comments], reroutes: [...reroutes], bookmarks: [...bookmarks] }
}
