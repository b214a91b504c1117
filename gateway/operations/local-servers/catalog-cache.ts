// What was read of the registry, as it is kept: shown while the registry does not answer, and not asked for twice within minutes.
import type { CatalogPage, ListedServer } from '../../contract/admin/server-catalog.ts'
import type { Base } from '../../records/base.ts'
import { type KeptCatalog, type KeptPage, keepCatalog, keptCatalog } from '../../storage/server-catalog.ts'

/** A page is read again after this time. */
const FRESH_MS = 300_000
const MOST_PAGES = 60
const MOST_ENTRIES = 300
const MOST_CHARS = 16_384

type Source = CatalogPage['source']

/** Left out at the end, as in every other list. */
export const cursorIn = ({ nextCursor }: Pick<KeptPage, 'nextCursor'>): { readonly nextCursor?: string } =>
  nextCursor === null ? {} : { nextCursor }

export function createCatalogCache(url: string, { database, clock, log }: Pick<Base, 'database' | 'clock' | 'log'>) {
  /** One after the other: each adds to the same row. */
  let writing: Promise<unknown> = Promise.resolve()

  const sourceAt = (readAt: number, problem: string | null = null): Source => ({
    url,
    readAt: new Date(readAt).toISOString(),
    problem,
  })

  async function add(page: KeptPage | undefined, entries: readonly ListedServer[]): Promise<void> {
    const kept = (await keptCatalog(database, url)) ?? { url, pages: [], entries: [] }
    const names = new Set(entries.map(({ name }) => name))
    const readAt = clock.now()
    await keepCatalog(database, {
      url,
      pages: page ? [...kept.pages.filter(({ key }) => key !== page.key), page].slice(-MOST_PAGES) : kept.pages,
      entries: [
        ...kept.entries.filter(({ entry }) => !names.has(entry.name)),
        ...entries.filter((entry) => JSON.stringify(entry).length <= MOST_CHARS).map((entry) => ({ readAt, entry })),
      ].slice(-MOST_ENTRIES),
    })
  }

  return {
    sourceAt,
    read: () => keptCatalog(database, url),
    isFresh(page: KeptPage): boolean {
      const age = clock.now() - page.readAt
      return age >= 0 && age < FRESH_MS
    },
    keep(page: KeptPage | undefined, entries: readonly ListedServer[]): Promise<unknown> {
      writing = writing
        .then(() => add(page, entries))
        .catch((error: unknown) => log.warn('the answer of the server registry was not stored', { error }))
      return writing
    },
    page({ entries }: KeptCatalog, page: KeptPage, readAt: number, problem: string | null): CatalogPage {
      const byName = new Map(entries.map(({ entry }) => [entry.name, entry]))
      const items = page.names.flatMap((name) => byName.get(name) ?? [])
      return { items, ...cursorIn(page), source: sourceAt(readAt, problem) }
    },
    /** Of everything that was ever read, where this page was not. */
    offline({ entries }: KeptCatalog, search: string, problem: string): CatalogPage {
      const words = search.toLowerCase().split(/\s+/).filter(Boolean)
      const found = entries.filter(({ entry }) => {
        const text = `${entry.name} ${entry.title ?? ''} ${entry.description}`.toLowerCase()
        return words.every((word) => text.includes(word))
      })
      const readAt = Math.min(clock.now(), ...found.map((each) => each.readAt))
      return { items: found.map(({ entry }) => entry), source: sourceAt(readAt, problem) }
    },
  }
}
