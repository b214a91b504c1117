// The door `#channels`: what each channel takes and gives. main parses by it; the renderer gets its types.
import { z } from 'zod'
import type { ChannelName, EventName } from './names.ts'

export type { ChannelName } from './names.ts'

const text = z.record(z.string(), z.string())

export const GatewayStatus = z.object({
  state: z.enum(['starting', 'running', 'stopped']),
  url: z.string().nullable(),
  /** Why it stopped, for the banner. */
  reason: z.string().nullable(),
})
export type GatewayStatus = z.infer<typeof GatewayStatus>

export const CHANNELS = {
  'admin:request': {
    input: z.strictObject({
      method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
      path: z
        .string()
        .max(8192)
        .regex(/^\/(admin-api|register|install)(\/|\?|$)/, 'must be an admin path'),
      headers: text,
      body: z.string().optional(),
    }),
    output: z.object({ status: z.number().int(), headers: text, body: z.string() }),
  },
  'gateway:status': { input: z.undefined(), output: GatewayStatus },
  'gateway:restart': { input: z.undefined(), output: GatewayStatus },
  'shell:open-external': {
    input: z
      .string()
      .max(2048)
      .refine((url) => URL.canParse(url) && new URL(url).protocol === 'https:', 'must be an https address'),
    output: z.undefined(),
  },
} as const satisfies Record<ChannelName, { readonly input: z.ZodType; readonly output: z.ZodType }>

export type ChannelInput<C extends ChannelName> = z.infer<(typeof CHANNELS)[C]['input']>
export type ChannelOutput<C extends ChannelName> = z.infer<(typeof CHANNELS)[C]['output']>

export type EventPayload = {
  'gateway:changed': GatewayStatus
  'admin:event': { readonly topic: string; readonly data: unknown }
}

/** `window.desktop`. Its presence is how the renderer knows that it runs in the desktop window. */
export type Desktop = {
  adminRequest(input: ChannelInput<'admin:request'>): Promise<ChannelOutput<'admin:request'>>
  gatewayStatus(): Promise<GatewayStatus>
  gatewayRestart(): Promise<GatewayStatus>
  openExternal(url: string): Promise<void>
  subscribe<E extends EventName>(event: E, listener: (payload: EventPayload[E]) => void): () => void
}
