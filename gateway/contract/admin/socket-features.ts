// The feature of a tool whose call is an exchange of messages over a WebSocket. Contract 8.13.
import { z } from 'zod'

export const WsCfg = z.strictObject({
  enabled: z.boolean().default(true),
  wsUrl: z.string().min(1).max(2048),
  /** Every frame is progress, and the last one the answer; else the first one is. */
  persistent: z.boolean().default(false),
  maxMessages: z.number().int().min(1).max(10_000).default(1000),
})
export type WsCfg = z.output<typeof WsCfg>

/** As stored: with the addresses it was vetted at. */
export type KeptWs = WsCfg & { readonly addresses: readonly string[] }
