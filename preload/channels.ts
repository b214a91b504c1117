// The door `#channels`: what each channel takes and gives. main parses by it; the renderer gets its types.
import { z } from 'zod'
import {
  AddServer,
  AddServerAnswer,
  AgentsAnswer,
  AgentsAsk,
  ProgramAnswer,
  ProgramAsk,
  ServerToolsAnswer,
} from '#contract'
import { AppFacts, AppSettings, DeepLink, GatewayStatus, Passphrase, UpdateState } from './app-records.ts'
import type { ChannelName, METHODS } from './names.ts'

export { AppFacts, AppSettings, DeepLink, GatewayStatus, Passphrase, UpdateState } from './app-records.ts'
export { CHANNEL_NAMES, type ChannelName, EVENT_CHANNEL, METHODS } from './names.ts'

const headers = z
  .record(z.string().regex(/^[a-z][a-z0-9-]{0,63}$/), z.string().max(8192))
  .refine((given) => Object.keys(given).length <= 32, 'too many headers')

/** An admin path in the form the URL parser leaves alone: no dot segment, encoded or not, leads out of its prefix. */
function isAdminPath(path: string): boolean {
  if (!/^\/(admin-api|register|install)(\/|\?|$)/.test(path) || !URL.canParse(path, 'http://gateway')) return false
  const { origin, pathname, search } = new URL(path, 'http://gateway')
  return origin === 'http://gateway' && pathname + search === path && !/%2e|%2f|%5c/i.test(pathname)
}

const nothing = z.undefined()

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
  'gateway:status': { input: nothing, output: GatewayStatus },
  'gateway:restart': { input: nothing, output: GatewayStatus },
  'gateway:pause': { input: nothing, output: GatewayStatus },
  'gateway:safe-mode': { input: nothing, output: GatewayStatus },
  'shell:open-external': { input: z.string().max(2048), output: nothing },
  'shell:show-folder': { input: z.enum(['data', 'logs']), output: nothing },
  'app:facts': { input: nothing, output: AppFacts },
  'app:change-settings': { input: AppSettings.partial(), output: AppFacts },
  /** The key minted at the first run, as long as it can be read. */
  'app:agent-key': { input: nothing, output: z.string().nullable() },
  /** Opens what a passphrase seals, or sets the first passphrase. False: the passphrase is wrong. */
  'app:give-passphrase': { input: Passphrase, output: z.boolean() },
  'app:check-for-update': { input: nothing, output: UpdateState },
  /** The link that waits for an answer, once; `link:waiting` says that there is one. */
  'link:take': { input: nothing, output: DeepLink.nullable() },
  /** The page the tray or a notice leads to, once; `page:waiting` says that there is one. */
  'page:take': { input: nothing, output: z.string().nullable() },
  /** The agents of this computer: one line for all that is asked of them, because each answer may be why not. */
  'agents:ask': { input: AgentsAsk, output: AgentsAnswer },
  /** Names an entry of the catalogue, never a command; main shows the command in a dialog of its own and asks. */
  'servers:add': { input: AddServer, output: AddServerAnswer },
  /** The same, to start it once in its sandbox: a person at this computer is asked each time. */
  'servers:tools': { input: AddServer.pick({ name: true }), output: ServerToolsAnswer },
  /** Bundles, updates and removals of the programs of this computer, each in dialogs of main. */
  'servers:ask': { input: ProgramAsk, output: ProgramAnswer },
} as const satisfies Record<ChannelName, { readonly input: z.ZodType; readonly output: z.ZodType }>

export type ChannelInput<C extends ChannelName> = z.infer<(typeof CHANNELS)[C]['input']>
export type ChannelOutput<C extends ChannelName> = z.infer<(typeof CHANNELS)[C]['output']>

/** What main sends to the window: the topics of the admin events, `gateway:changed` with a GatewayStatus, `link:waiting`, `page:waiting`. */
export type DesktopEvent = { readonly topic: string; readonly data: unknown }

type Call<C extends ChannelName> =
  undefined extends ChannelInput<C>
    ? () => Promise<ChannelOutput<C>>
    : (input: ChannelInput<C>) => Promise<ChannelOutput<C>>

/** `window.desktop`. Its presence shows the renderer that it runs in the desktop window. */
export type Desktop = { readonly [M in keyof typeof METHODS]: Call<(typeof METHODS)[M]> } & {
  /** Returns what ends it. */
  subscribe(topic: string, listener: (data: unknown) => void): () => void
}
