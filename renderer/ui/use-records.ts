// A change to a record: waits for the gateway, refetches affected queries, sends the revision, and offers
// an undo. Refusals throw, for the calling form or button.

import { useQueryClient } from '@tanstack/react-query'
import { t } from '../language/language.ts'
import { notifyDone } from './notify.ts'

/** `keys`: the first words of the queries that the change may touch. */
function useInvalidate(...keys: readonly string[]) {
  const queries = useQueryClient()
  const refresh = async (): Promise<void> => {
    await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })))
  }
  return {
    refresh,
    async settled<T>(work: Promise<T>): Promise<T> {
      try {
        const answer = await work
        await refresh()
        return answer
      } catch (error) {
        // Not awaited: while the gateway is away, the refetch waits for it.
        void refresh()
        throw error
      }
    },
  }
}

/** The notice that confirms a change. */
type Notice<R> = string | ((answer: R) => string)

/** `keys`: the first words of the queries that a change may touch. */
export function useChanges(...keys: readonly string[]) {
  const { refresh, settled } = useInvalidate(...keys)
  return {
    refresh,
    settled,
    /** `undo` receives the answer, whose revision it changes. */
    async run<A>(work: Promise<A>, done: Notice<A>, undo?: (answer: A) => Promise<unknown>): Promise<A> {
      const answer = await settled(work)
      notifyDone(typeof done === 'string' ? done : done(answer), undo && (() => settled(undo(answer))))
      return answer
    },
  }
}

/** How the records of one kind are changed. */
export type RecordKind<R, I> = {
  readonly keys: readonly string[]
  readonly nameOf: (record: R) => string
  readonly create: (input: I) => Promise<R>
  readonly update: (record: R, change: Partial<I>) => Promise<R>
  readonly remove: (record: R) => Promise<unknown>
}

type Named<K extends string> = { readonly params: { readonly [P in K]: string } }
/** The calls of a noun, as `ownedRoutes` has them. */
type Calls<K extends string, R, I> = {
  readonly create: (send: { readonly body: I }) => Promise<R>
  readonly update: (send: Named<K> & { readonly body: Partial<I> & { revision?: number } }) => Promise<R>
  readonly delete: (send: Named<K> & { readonly ifMatch: number }) => Promise<unknown>
}

const nameIn = (record: object): string => ('name' in record ? String(record.name) : '')

/** `key`: how a path names one record. `fixed`: the fields that stay when a record is changed. */
export function recordKind<
  K extends 'id' | 'name',
  R extends { readonly revision: number } & Readonly<Record<K, string | number>>,
  I extends object,
>(
  calls: Calls<K, R, I>,
  key: K,
  {
    keys,
    fixed = [],
    nameOf = nameIn,
  }: Pick<RecordKind<R, I>, 'keys'> & {
    readonly fixed?: readonly (keyof I)[]
    readonly nameOf?: (record: R) => string
  },
): RecordKind<R, I> {
  const named = (record: R): Named<K> => ({ params: { [key]: String(record[key]) } }) as Named<K> // the one key
  return {
    keys,
    nameOf,
    create: (body) => calls.create({ body }),
    update(record, change) {
      const sent = { ...change, revision: record.revision }
      for (const field of fixed) delete sent[field]
      return calls.update({ ...named(record), body: sent })
    },
    remove: (record) => calls.delete({ ...named(record), ifMatch: record.revision }),
  }
}

const changed = (name: string): string => t('{name} was changed', { name })

export function useRecords<R, I extends Readonly<Record<string, unknown>>>(kind: RecordKind<R, I>) {
  const { refresh, settled, run } = useChanges(...kind.keys)
  /** Sends, and the undo restores, the changed fields only. */
  const change = (record: R, input: Partial<I>, done: Notice<R> = (now) => changed(kind.nameOf(now))) => {
    const sent = changedIn(record, input)
    return run(kind.update(record, sent), done, (now) => kind.update(now, valuesOf(record, sent)))
  }
  return {
    refresh,
    settled,
    run,
    change,
    create: (input: I, done?: Notice<R>) => (done ? run(kind.create(input), done) : settled(kind.create(input))),
    update: (record: R, input: Partial<I>) => settled(kind.update(record, changedIn(record, input))),
    /** For a record that can be switched on and off. */
    setEnabled: (record: R, enabled: boolean) =>
      change(record, { enabled } as unknown as Partial<I>, turned(kind.nameOf(record), enabled)), // of such a record
    remove: (record: R) => run(kind.remove(record), t('{name} was deleted', { name: kind.nameOf(record) })),
  }
}

/** A form has every field; one that was changed a moment ago, elsewhere on the page, must not be sent as it was before. */
function changedIn<R, I>(record: R, input: Partial<I>): Partial<I> {
  const sent = { ...input }
  for (const key in input) {
    const before = (record as unknown as Partial<I>)[key] // a record has every field that its input has
    if (JSON.stringify(before) === JSON.stringify(input[key])) delete sent[key]
  }
  return Object.keys(sent).length > 0 ? sent : input
}

/** The record's values of the changed fields. */
function valuesOf<R, I>(record: R, change: Partial<I>): Partial<I> {
  const kept: Partial<I> = {}
  for (const key in change) kept[key] = (record as unknown as I)[key] // a record has every field that its input has
  return kept
}

export const turned = (name: string, enabled: boolean): string =>
  enabled ? t('{name} enabled', { name }) : t('{name} disabled', { name })
