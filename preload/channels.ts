// The door `#channels`: what each channel takes and gives. main parses by it; the renderer gets its types.
import { z } from 'zod'
import type { ChannelName } from './names.ts'

export { CHANNEL_NAMES, type ChannelName, EVENT_CHANNEL } from './names.ts'

const headers = z
  .record(z.string().regex(/^[a-z][a-z0-9-]{0,63}$/), z.string().max(8192))
  .refine((given) => Object.keys(given).length <= 32, 'too many headers')

/** An admin path in the form the URL parser leaves alone: no dot segment, encoded or not, leads out of its prefix. */
function isAdminPath(path: string): boolean {
  if (!/^\/(admin-api|register|install)(\/|\?|$)/.test(path) || !URL.canParse(path, 'http://gateway')) return false
  const { origin, pathname, search } = new URL(path, 'http://gateway')
  return origin === 'http://gateway' && pathname + search === path && !/%2e|%2f|%5c/i.test(pathname)
}

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
      path: z.string().max(8192).refine(isAdminPath, 'must be an admin path'),
      headers,
      body: z.string().optional(),
    }),
    output: z.object({ status: z.number().int(), headers: z.record(z.string(), z.string()), body: z.string() }),
  },
  'gateway:status': { input: z.undefined(), output: GatewayStatus },
  'gateway:restart': { input: z.undefined(), output: GatewayStatus },
  'shell:open-external': { input: z.string().max(2048), output: z.undefined() },
} as const satisfies Record<ChannelName, { readonly input: z.ZodType; readonly output: z.ZodType }>

export type ChannelInput<C extends ChannelName> = z.infer<(typeof CHANNELS)[C]['input']>
export type ChannelOutput<C extends ChannelName> = z.infer<(typeof CHANNELS)[C]['output']>

/** What main tells the window: the topics of the admin events, and `gateway:changed` with a GatewayStatus. */
export type DesktopEvent = { readonly topic: string; readonly data: unknown }

/** `window.desktop`. Its presence is how the renderer knows that it runs in the desktop window. */
export type Desktop = {
  adminRequest(input: ChannelInput<'admin:request'>): Promise<ChannelOutput<'admin:request'>>
  gatewayStatus(): Promise<GatewayStatus>
  gatewayRestart(): Promise<GatewayStatus>
  openExternal(url: string): Promise<void>
  /** Returns what ends it. */
  subscribe(topic: string, listener: (data: unknown) => void): () => void
}
