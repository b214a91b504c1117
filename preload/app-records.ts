// What the window and main tell each other of the application itself: its settings, its state, its links.
import { z } from 'zod'

export const GatewayStatus = z.object({
  /** `paused` and `safe` serve the window but no agent; `locked` waits for the passphrase. */
  state: z.enum(['starting', 'running', 'paused', 'safe', 'locked', 'stopped']),
  url: z.string().nullable(),
  /** Why it does not serve agents, for the banner. */
  reason: z.string().nullable(),
  /** The address agents were given, while another program holds its port. */
  movedFrom: z.string().nullable(),
})
export type GatewayStatus = z.infer<typeof GatewayStatus>

/** An address updates may come from: https, and no credential in it. */
const FeedUrl = z
  .url({ protocol: /^https$/, error: 'must be an https address' })
  .max(2048)
  .refine((text) => {
    const { username, password } = new URL(text)
    return username === '' && password === ''
  }, 'must not hold a user name or a password')

/** What desktop.json holds. */
export const AppSettings = z.strictObject({
  /** Where agents find the gateway; the next free port while another program holds it. */
  port: z.int().min(1024).max(65_535),
  /** Closing the window leaves the gateway running behind the tray icon. */
  closeToTray: z.boolean(),
  launchAtLogin: z.boolean(),
  notifications: z.boolean(),
  /** As the page has it, for the window before the page is loaded. */
  theme: z.enum(['system', 'light', 'dark']),
  /** As the page has it, for menus, the tray and notices. */
  language: z.enum(['system', 'en', 'de']),
  /** Without one, no update is ever requested. */
  updateFeed: FeedUrl.nullable(),
})
export type AppSettings = z.infer<typeof AppSettings>

export const AppFacts = z.object({
  version: z.string(),
  settings: AppSettings,
  /** Settings that the environment has decided for this run. */
  fixed: z.array(z.enum(['port'])),
  dataFolder: z.string(),
  logFolder: z.string(),
  /** What seals stored credentials; `none` stores none. */
  keyStore: z.enum(['keyring', 'passphrase', 'environment', 'none']),
  /** Why there is no better key store, in plain words. */
  keyLack: z.string().nullable(),
  /** A passphrase may be chosen now. */
  mayChoosePassphrase: z.boolean(),
  /** False: the window cannot be hidden behind a tray icon. */
  hasTray: z.boolean(),
  /** Why this build checks for no updates. */
  updatesOff: z.string().nullable(),
})
export type AppFacts = z.infer<typeof AppFacts>

export const Passphrase = z.string().min(12).max(1024)

/** A person sees every one of these and says yes before anything is done. */
export const DeepLink = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('add-backend'),
    source: z.enum(['openapi', 'mcp', 'graphql']),
    url: z.string(),
    name: z.string().nullable(),
  }),
  z.strictObject({ kind: z.literal('open-page'), page: z.string() }),
])
export type DeepLink = z.infer<typeof DeepLink>

export const UpdateState = z.discriminatedUnion('state', [
  z.object({ state: z.literal('no-feed') }),
  /** This build follows no feed. */
  z.object({ state: z.literal('off'), reason: z.string() }),
  z.object({ state: z.literal('current') }),
  z.object({ state: z.literal('available'), version: z.string() }),
  z.object({ state: z.literal('failed'), reason: z.string() }),
])
export type UpdateState = z.infer<typeof UpdateState>
