// Caches graphs in this browser, so that they survive a reload while their editor is disconnected.
import { type DehydratedState, dehydrate, hydrate, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { graphQuery, isOfGraph } from '../editor/queries.ts'
import { useCapability } from '../editor/use-capability.ts'

const DATABASE = 'gantry.studio'
const GRAPHS = 'graphs'
const BY_TIME = 'at'
const MOST_GRAPHS = 12
/** About the size of a graph of ten thousand nodes. */
const MOST_CHARACTERS = 8_000_000
/** Debounces bursts of edits. */
const REST_MS = 500

/** The storage key: user, editor and graph. */
type Key = readonly [who: string, editor: string, graph: string]
type Row = { readonly key: Key; readonly at: number; readonly text: string }

/** Mounted once, by the page. */
export function useKeptGraph(editor: string, graph: string | null): void {
  const queries = useQueryClient()
  const who = useActor().name
  const away = useCapability(editor, 'edit') !== null
  useEffect(() => {
    if (graph === null || who === '') return undefined
    const key: Key = [who, editor, graph]
    if (!away) return keeping(queries, key)
    // Best effort: without browser storage the page reports that nothing is cached.
    void recall(queries, key).catch(() => undefined)
    return undefined
  }, [queries, who, editor, graph, away])
}

/** Stores each read after a delay. Returns a function that stops. */
function keeping(queries: QueryClient, key: Key): () => void {
  const [, editor, graph] = key
  let timer: ReturnType<typeof setTimeout> | undefined
  const write = (): void => {
    timer = undefined
    // A disconnected editor returns the layout only; keep the cached graph.
    if (queries.getQueryData(graphQuery(editor, graph).queryKey) === undefined) return
    const text = JSON.stringify(readOf(queries, editor, graph))
    if (text.length <= MOST_CHARACTERS) void put({ key, at: Date.now(), text }).catch(() => undefined)
  }
  const stop = queries.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success') return
    if (timer === undefined && isOfGraph(event.query.queryKey, editor, graph)) timer = setTimeout(write, REST_MS)
  })
  return () => {
    stop()
    if (timer === undefined) return
    clearTimeout(timer)
    write()
  }
}

/** Keeps the last good read when a re-read fails: an editor can disconnect during it. */
function readOf(queries: QueryClient, editor: string, graph: string): DehydratedState {
  const { mutations, queries: all } = dehydrate(queries, {
    shouldDehydrateMutation: () => false,
    shouldDehydrateQuery: ({ queryKey, state }) => state.data !== undefined && isOfGraph(queryKey, editor, graph),
  })
  return {
    mutations,
    queries: all.map((query) => ({ ...query, state: { ...query.state, status: 'success', error: null } })),
  }
}

async function recall(queries: QueryClient, key: Key): Promise<void> {
  const graphs = await opened('readonly')
  const row: Row | undefined = await answered(graphs.get([...key]))
  // Written by the function above; ignores anything else.
  if (row) hydrate(queries, JSON.parse(row.text) as DehydratedState)
}

async function put(row: Row): Promise<void> {
  const graphs = await opened('readwrite')
  const [who] = row.key
  // Removes entries of other users of this browser. Arrays sort after strings, so the second range starts behind `who`.
  graphs.delete(IDBKeyRange.upperBound([who], true))
  graphs.delete(IDBKeyRange.lowerBound([who, []], true))
  graphs.put(row)
  const oldest = await answered(graphs.index(BY_TIME).getAllKeys())
  for (const key of oldest.slice(0, Math.max(0, oldest.length - MOST_GRAPHS))) graphs.delete(key)
}

let database: Promise<IDBDatabase> | undefined

async function opened(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  database ??= open()
  return (await database).transaction(GRAPHS, mode).objectStore(GRAPHS)
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1)
  request.onupgradeneeded = () =>
    request.result.createObjectStore(GRAPHS, { keyPath: 'key' }).createIndex(BY_TIME, BY_TIME)
  return answered(request)
}

function answered<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error(t('The browser does not store data for this page.')))
  })
}
