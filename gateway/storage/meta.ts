// Small facts about the database itself, in the database itself.
import type { Database } from './database.ts'
import type { Tx } from './schema.ts'

export function metaOf({ query, write }: Pick<Database, 'query' | 'write'>): Database['meta'] {
  return {
    async get(key, tx) {
      const row = await (tx ?? query).selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst()
      return row?.value
    },
    async set(key, value, tx) {
      const put = async (inside: Tx) => {
        const row = inside.insertInto('meta').values({ key, value })
        await row.onConflict((clash) => clash.column('key').doUpdateSet({ value })).execute()
      }
      await (tx ? put(tx) : write(put))
    },
  }
}
