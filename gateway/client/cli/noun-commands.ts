// The commands that every kind of record has: list, show and remove.
import { type Command, type Context, table, takes } from './command.ts'

type Api = Context['api']
type Row = Readonly<Record<string, unknown>>
type PageOf<R = Row> = { readonly items: readonly R[]; readonly nextCursor?: string | undefined }

/** All pages of a list. */
export async function allPages<R>(
  read: (page: { cursor: string | undefined; limit: string }) => Promise<PageOf<R>>,
): Promise<readonly R[]> {
  const items: R[] = []
  let cursor: string | undefined
  do {
    const page = await read({ limit: '200', cursor })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return items
}

type Listing = {
  readonly summary: string
  readonly columns: readonly string[]
  /** Options that narrow the list, under the name of the query. */
  readonly filters?: Readonly<
    Record<string, { readonly query: string; readonly value: string; readonly summary: string }>
  >
  readonly read: (api: Api, query: object) => Promise<PageOf>
}

export const listCommand = (noun: string, { summary, columns, filters = {}, read }: Listing): Command => ({
  name: `${noun} list`,
  summary,
  options: Object.fromEntries(
    Object.entries(filters).map(([name, { value, summary: about }]) => [name, takes(value, about)]),
  ),
  async run({ api, tell, text }) {
    const given = Object.entries(filters).map(([name, { query }]) => [query, text(name)] as const)
    const narrowed = Object.fromEntries(given.filter(([, value]) => value !== undefined))
    const items = await allPages((page) => read(api, { ...page, ...narrowed }))
    tell(items, table(items, columns))
  },
})

export const showCommand = (
  noun: string,
  key: 'id' | 'name',
  read: (api: Api, key: string) => Promise<unknown>,
): Command => ({
  name: `${noun} show`,
  summary: `Show one ${noun}`,
  args: [key],
  run: async ({ api, tell, arg }) => tell(await read(api, arg(0))),
})

export const removeCommand = (
  noun: string,
  key: 'id' | 'name',
  remove: (api: Api, key: string) => Promise<unknown>,
  summary = `Remove a ${noun}`,
): Command => ({
  name: `${noun} remove`,
  summary,
  args: [key],
  async run({ api, tell, arg }) {
    await remove(api, arg(0))
    tell({ removed: key === 'id' ? Number(arg(0)) : arg(0) }, `${arg(0)} is removed`)
  },
})
