// Messages between instances: SQL in, rows out.

import type { Selectable } from 'kysely'
import type { Database } from './database.ts'
import type { Query, Schema } from './schema.ts'

type Message = Selectable<Schema['instance_messages']>

/** One sender at a time: no message appears before one with a smaller id. */
const LOCK = 'instance_messages'
const MOST_READ = 200

export async function lastMessage(query: Query): Promise<number> {
  const row = await query.selectFrom('instance_messages').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id ?? 0
}

export function messagesSince(query: Query, before: number): Promise<Message[]> {
  return query
    .selectFrom('instance_messages')
    .selectAll()
    .where('id', '>', before)
    .orderBy('id')
    .limit(MOST_READ)
    .execute()
}

export async function sendMessages(
  database: Pick<Database, 'write'>,
  sender: string,
  messages: readonly Pick<Message, 'recipient' | 'kind' | 'body'>[],
): Promise<void> {
  await database.write(
    (tx) =>
      tx
        .insertInto('instance_messages')
        .values(messages.map((message) => ({ sender, ...message })))
        .execute(),
    LOCK,
  )
}

export async function pruneMessages(database: Pick<Database, 'write'>, upTo: number): Promise<void> {
  await database.write((tx) => tx.deleteFrom('instance_messages').where('id', '<=', upTo).execute())
}
