// What the server catalogue keeps of its registry: one row, so that it is bounded as a whole and works offline.
import { z } from 'zod'
import { ListedServer } from '../contract/admin/server-catalog.ts'
import type { Database } from './database.ts'

const Page = z.object({
  key: z.string().describe('of its request'),
  etag: z.string().nullable(),
  readAt: z.number(),
  nextCursor: z.string().nullable(),
  names: z.array(z.string()),
})
const Kept = z.object({
  url: z.string(),
  /** The newest last. */
  pages: z.array(Page),
  entries: z.array(z.object({ readAt: z.number(), entry: ListedServer })),
})
export type KeptCatalog = z.infer<typeof Kept>
export type KeptPage = z.infer<typeof Page>

const KEY = 'server_catalog'

/** Of this registry only; undefined also for what an older version wrote. */
export async function keptCatalog({ meta }: Pick<Database, 'meta'>, url: string): Promise<KeptCatalog | undefined> {
  const text = await meta.get(KEY)
  if (text === undefined) return undefined
  const { data } = Kept.safeParse(JSON.parse(text))
  return data?.url === url ? data : undefined
}

export const keepCatalog = ({ meta }: Pick<Database, 'meta'>, kept: KeptCatalog): Promise<void> =>
  meta.set(KEY, JSON.stringify(kept))
