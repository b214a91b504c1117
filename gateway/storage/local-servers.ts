// What the database holds of local servers beside their backends: what their definitions belong to, and sealed secrets.
import { z } from 'zod'
import type { Database } from './database.ts'
import type { Query, Tx } from './schema.ts'

const Known = z.object({
  fingerprint: z.string(),
  facts: z
    .object({
      revision: z.string(),
      capabilities: z.record(z.string(), z.unknown()),
      serverInfo: z.record(z.string(), z.unknown()),
      instructions: z.string().optional(),
      learnedAtMs: z.number(),
    })
    // Present, as its readers have it.
    .transform(({ instructions, ...facts }) => ({ ...facts, instructions }))
    .optional(),
})
/** Of the command that the stored tools were listed by. */
export type KnownServer = z.infer<typeof Known>

const knownKey = (name: string): string => `local_server:${name}`
/** The key is what the secret is sealed for; the reseal of `meta` rows expects that. */
export const secretKey = (name: string, variable: string): string => `local_server_secret:${name}:${variable}`

type Meta = Pick<Database, 'meta'>

export async function knownServer({ meta }: Meta, name: string, tx?: Tx): Promise<KnownServer | undefined> {
  const text = await meta.get(knownKey(name), tx)
  if (text === undefined) return undefined
  const { data } = Known.safeParse(JSON.parse(text))
  return data
}

/** Over what is known: the handshake and the listing are written one after the other. */
export async function rememberServer(
  { meta }: Meta,
  name: string,
  learned: Partial<KnownServer>,
  tx: Tx,
): Promise<void> {
  const known = await knownServer({ meta }, name, tx)
  await meta.set(knownKey(name), JSON.stringify({ fingerprint: '', ...known, ...learned }), tx)
}

export async function secretIsSet(query: Query, key: string): Promise<boolean> {
  const row = await query.selectFrom('meta').select('key').where('key', '=', key).executeTakeFirst()
  return row !== undefined
}

export async function forgetSecret(tx: Tx, key: string): Promise<void> {
  await tx.deleteFrom('meta').where('key', '=', key).execute()
}
