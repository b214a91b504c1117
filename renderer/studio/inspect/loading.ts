// Loads the data of a pin page by page, up to a chosen limit, and again after each generation.
import { createStore, type StoreApi } from 'zustand/vanilla'
import { look } from '../editor/calls.ts'
import { type DataPage, emptySheet, roomOf, rowsOf, type Sheet, type Summary, withPage } from './sheet.ts'

/** The page limit of one call. */
export const PAGE_ROWS = 10_000
/** Redraws when the data has grown by this factor, because each redraw sorts everything. */
const SHOWN_AGAIN = 4

export type What = {
  readonly editor: string
  readonly actor: string
  readonly node: string
  readonly pin: string | undefined
  readonly dataIndex: number
}
export type LoadState = {
  readonly sheet: Sheet | null
  /** What the run before made; null before the second run. */
  readonly earlier: Sheet | null
  /** Rows from all over the data, while not all of them are loaded. */
  readonly sample: Sheet | null
  /** Loaded rows, shown or not. */
  readonly read: number
  readonly head: Pick<DataPage, 'pin' | 'data_count' | 'data_class' | 'tags'> | null
  /** The columns of the previous run. */
  readonly before: readonly Summary[] | null
  readonly busy: boolean
  readonly error: unknown
}
export type Loader = {
  readonly state: StoreApi<LoadState>
  /** Continues until this many rows are loaded, or as many as fit. */
  more(rows: number): void
  /** Stops at the loaded rows. */
  stop(): void
  /** Restarts at the first row, up to the previous limit. Returns a function that stops. */
  start(): () => void
}

type Remembered = { readonly now: readonly Summary[]; readonly before: readonly Summary[] | null }
const remembered = new Map<string, Remembered>()
/** The requested limit, kept for the next run. */
const wishes = new Map<string, number>()
const MOST_REMEMBERED = 100
const NOTHING: LoadState = {
  sheet: null,
  earlier: null,
  sample: null,
  read: 0,
  head: null,
  before: null,
  busy: false,
  error: null,
}

type Ask = (offset: number, every?: number) => Promise<DataPage>
const asking =
  (what: What): Ask =>
  (offset, every = 1) =>
    look(what.editor, 'get_pcg_node_data', {
      actor_name: what.actor,
      node_name: what.node,
      data_index: what.dataIndex,
      offset,
      limit: PAGE_ROWS,
      packed: true,
      ...(every > 1 ? { every } : {}),
      ...(what.pin === undefined ? {} : { pin: what.pin }),
    })

/** `run` only distinguishes generations. */
export function createLoader(what: What, run: number, ask = asking(what), drawn: LoadState = NOTHING): Loader {
  // The previous run stays on screen until the first page of this one.
  const state = createStore<LoadState>(() => ({
    ...drawn,
    earlier: drawn.sheet && drawn.sample ? { ...drawn.sample, total: drawn.sheet.total } : drawn.sheet,
    busy: true,
    error: null,
  }))
  let shown = 0
  const wish = JSON.stringify(what)
  let wanted = run > 0 ? (wishes.get(wish) ?? PAGE_ROWS) : PAGE_ROWS
  /** Includes all loaded rows, shown or not. */
  let latest: Sheet | null = null
  /** One per read; a superseded read writes nothing. */
  let turn = 0

  async function sampled(total: number): Promise<Sheet> {
    const page = await ask(0, Math.ceil(total / PAGE_ROWS))
    return withPage({ ...emptySheet(page), total: rowsOf(page) }, page)
  }

  async function read(from: Sheet | null): Promise<void> {
    turn += 1
    const mine = turn
    let sheet = from
    latest = from
    state.setState({ busy: true, error: null })
    const more = (): boolean => !sheet || sheet.loaded < Math.min(roomOf(sheet), wanted)
    try {
      for (let coming = more() ? ask(sheet?.loaded ?? 0) : null; coming; ) {
        const page: DataPage = await coming
        if (mine !== turn) return
        const { pin, data_count, data_class, tags } = page
        if (!sheet) state.setState({ before: remember(what, page.columns) })
        sheet = withPage(sheet ?? emptySheet(page), page)
        latest = sheet
        const last: boolean = rowsOf(page) === 0 || !more()
        // Prefetches the next page while this one is shown.
        coming = last ? null : ask(sheet.loaded)
        // Ignores the failure of an abandoned read.
        coming?.catch(() => undefined)
        const again = last || sheet.loaded >= shown * SHOWN_AGAIN
        if (again) shown = sheet.loaded
        state.setState({ read: sheet.loaded, head: { pin, data_count, data_class, tags }, ...(again ? { sheet } : {}) })
      }
      const sample = sheet && sheet.loaded < sheet.total ? await sampled(sheet.total) : null
      if (mine === turn) state.setState({ sample })
    } catch (error) {
      if (mine !== turn) return
      latest = from && sheet
      state.setState({ error, ...(from ? { sheet } : { sheet: null, read: 0, head: null }) })
    } finally {
      if (mine === turn) state.setState({ busy: false })
    }
  }

  return {
    state,
    more(rows) {
      wanted = rows
      wishes.set(wish, rows)
      void read(latest)
    },
    stop() {
      turn += 1
      wishes.set(wish, latest?.loaded ?? PAGE_ROWS)
      state.setState({ sheet: latest, busy: false })
    },
    start() {
      void read(null)
      return () => {
        turn += 1
      }
    },
  }
}

/** Returns the previous run's columns; equal numbers count as the same run. */
function remember(what: What, now: readonly Summary[]): readonly Summary[] | null {
  const key = JSON.stringify(what)
  const known = remembered.get(key)
  const same = known !== undefined && JSON.stringify(known.now) === JSON.stringify(now)
  const before = same ? known.before : (known?.now ?? null)
  remembered.delete(key)
  remembered.set(key, { now, before })
  const [oldest] = remembered.keys()
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  return before
}
