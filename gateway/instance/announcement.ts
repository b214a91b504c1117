// What a running gateway leaves in the home of its user, so that the command line finds it and can distinguish it from another program.
import { createHmac } from 'node:crypto'
import path from 'node:path'
import { z } from 'zod'

/**
 * No credential stands in it, nor where one lies: the agents a gateway governs run as the same user and read files.
 * The secret opens nothing. It lets the reader of this file ask an address whether it is the gateway that wrote it.
 */
export const Announcement = z.strictObject({
  format: z.literal(1),
  instance: z.uuid(),
  home: z.enum(['desktop', 'headless']),
  /** Process ids mean something on one machine only, and a home may be shared by several. */
  machine: z.string().min(1).max(255),
  pid: z.int().positive(),
  url: z.url({ protocol: /^http$/ }).max(300),
  version: z.string().max(100),
  startedAt: z.iso.datetime(),
  /** Null where nothing is kept. */
  dataFolder: z.string().max(4096).nullable(),
  database: z.string().max(4096).nullable(),
  secret: z.string().regex(/^[0-9a-f]{64}$/),
})
export type Announcement = z.infer<typeof Announcement>

export const MOST_BYTES = 16_384

export const announcementsIn = (home: string): string => path.join(home, '.gantry', 'run')

/** On a request to `/livez`, and on its answer. */
export const PROVE_HEADER = 'x-gantry-prove'
export const PROOF_HEADER = 'x-gantry-proof'
export const NONCE = /^[0-9a-f]{32}$/

/** Names the address that was asked, so that another program there cannot pass the question on to the real one elsewhere. */
export const proofOf = ({ secret, url }: Pick<Announcement, 'secret' | 'url'>, nonce: string): string =>
  createHmac('sha256', Buffer.from(secret, 'hex')).update(`${url}\n${nonce}`).digest('hex')

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    // Where it is another user's, ours has ended and its number was given away.
    return false
  }
}
