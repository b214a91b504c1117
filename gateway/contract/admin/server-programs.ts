// Programs that the person at this computer adds, exports, updates and returns through the desktop window. No route has these.
import { z } from 'zod'

const text = (most: number) => z.string().max(most)

export const BundleSignature = z.discriminatedUnion('state', [
  z.object({ state: z.literal('unsigned') }),
  z.object({
    state: z.literal('signed'),
    by: z.string().describe('what its certificate says; compared with no list of publishers'),
    issuer: z.string(),
    isSelfSigned: z.boolean(),
    fingerprint: z.string().describe('SHA-256 of the certificate'),
  }),
])
export type BundleSignature = z.infer<typeof BundleSignature>

export const BUNDLE_SETTINGS = ['string', 'number', 'boolean', 'directory', 'file'] as const

export const BundleSetting = z.object({
  key: z.string(),
  type: z.enum(BUNDLE_SETTINGS),
  title: z.string(),
  description: z.string(),
  required: z.boolean(),
  multiple: z.boolean(),
  sensitive: z.boolean().describe('its value is set after the server was added'),
  usual: z.string().nullable().describe('its default, as text'),
})
export type BundleSetting = z.infer<typeof BundleSetting>

/** A bundle that the person chose in a dialog of main, which keeps it: the page names no file. */
export const ChosenBundle = z.object({
  file: z.string(),
  name: z.string().describe('proposed for the file of local servers'),
  title: z.string(),
  version: z.string(),
  author: z.string(),
  description: z.string(),
  sha256: z.string(),
  signature: BundleSignature,
  settings: z.array(BundleSetting),
  tools: z.array(z.string()).describe('that it says it has'),
  files: z.array(z.object({ path: z.string(), bytes: z.number() })).describe('the first of them'),
  fileCount: z.number(),
  bytes: z.number(),
})
export type ChosenBundle = z.infer<typeof ChosenBundle>

const list = z.array(text(4_096)).max(100)
const name = text(200).min(1)

/** Names what the person chose or has: never a command, and no file. Main asks in its own dialogs. */
export const ProgramAsk = z.discriminatedUnion('ask', [
  z.strictObject({ ask: z.literal('choose') }),
  z.strictObject({
    ask: z.literal('import'),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    name,
    settings: z.record(text(128), z.union([text(4_096), z.number(), z.boolean(), list])),
    hosts: list,
    folders: list,
  }),
  z.strictObject({ ask: z.literal('export'), name }),
  z.strictObject({ ask: z.literal('update'), name }),
  z.strictObject({ ask: z.literal('rollback'), name }),
  z.strictObject({ ask: z.literal('remove'), name }),
])
export type ProgramAsk = z.infer<typeof ProgramAsk>

export const ProgramAnswer = z.discriminatedUnion('answer', [
  z.object({ answer: z.literal('chosen'), bundle: ChosenBundle }),
  z.object({ answer: z.literal('done'), name: z.string(), text: z.string().describe('the file, or the version') }),
  z.object({ answer: z.literal('same'), text: z.string().describe('the version that is the newest') }),
  z.object({ answer: z.literal('declined') }),
  z.object({ answer: z.literal('fault'), message: z.string() }),
])
export type ProgramAnswer = z.infer<typeof ProgramAnswer>
