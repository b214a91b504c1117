// The features of a tool that are off until they are set: their fields, and the meaning of an absent one.
// Contract 8.5, 8.8–8.13. A feature is one row of FEATURES, and one of `operations/tools/tool-features.ts`.
import { z } from 'zod'
import { LbStrategy } from './lb-strategy.ts'
import { Monitor } from './monitor-feature.ts'
import {
  ContextBudget,
  GraphqlCfg,
  type KeptBudget,
  Pagination,
  ProgressCfg,
  Streaming,
  Transform,
} from './shaping-features.ts'
import { type KeptWs, WsCfg } from './socket-features.ts'

const RESPONSE_MOST_BYTES = 1_048_576
const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length

/** Answers in the backend's place: always, or only where the backend could not. */
export const Mock = z.strictObject({
  enabled: z.boolean().default(true),
  mode: z.enum(['always', 'fallback']),
  /** A string is the text as it is. */
  response: z
    .json()
    .refine((response) => utf8Bytes(JSON.stringify(response)) <= RESPONSE_MOST_BYTES, 'must be at most 1 MB'),
  isError: z.boolean().default(false),
  delayMs: z.number().int().min(0).max(60_000).default(0),
})
export type Mock = z.output<typeof Mock>

/** Which of the other servers of its backend the calls of one tool may go to. */
export const Routing = z.strictObject({
  loadBalancing: z.enum(['inherit', 'off']).default('inherit'),
  lbStrategy: LbStrategy.optional(),
  canary: z.enum(['inherit', 'off']).default('inherit'),
  canaryWeight: z.number().int().min(1).max(100).optional(),
  failover: z.enum(['inherit', 'off']).default('inherit'),
})
export type Routing = z.output<typeof Routing>

/** What becomes of a tool whose calls carried what the guardrails look for, so many times in a row. */
export const QuarantinePolicy = z.strictObject({
  consecutiveThreshold: z.number().int().min(1).max(100).default(3),
  action: z.enum(['block', 'force_approval', 'observe']).default('block'),
  recoveryMode: z.enum(['auto', 'manual']).default('manual'),
  cooldownMs: z.number().int().min(1_000).max(604_800_000).default(300_000),
  enabled: z.boolean().default(true),
})
export type QuarantinePolicy = z.output<typeof QuarantinePolicy>

/** Who may get a kept answer: its own caller, or every caller. */
const SCOPES = ['principal', 'shared'] as const

/** Answers are kept for a while, and given again to the same call. */
export const Cache = z.strictObject({
  enabled: z.boolean().default(true),
  ttlSeconds: z.number().int().min(1).max(86_400),
  scope: z.enum(SCOPES).default('principal'),
  maxEntryBytes: z.number().int().min(1_024).max(10_485_760).default(1_048_576),
})
export type Cache = z.output<typeof Cache>

/** The same call made several times at once is one request. */
export const Coalesce = z.strictObject({
  enabled: z.boolean().default(true),
  scope: z.enum(SCOPES).default('principal'),
})
export type Coalesce = z.output<typeof Coalesce>

/** What is kept of its calls; by default TRAFFIC_CAPTURE decides. */
export const Capture = z.strictObject({
  enabled: z.boolean(),
  args: z.enum(['redacted', 'none']).default('redacted'),
  preview: z.boolean().default(true),
  /** TRAFFIC_MAX_BODY_BYTES by default. */
  maxBodyBytes: z.number().int().min(0).max(1_048_576).optional(),
})
export type Capture = z.output<typeof Capture>

/** What a call costs, in one currency for all tools; budgets and reports add it up. */
export const Price = z
  .strictObject({
    perCall: z.number().min(0).max(1_000_000).optional(),
    /** Of the tokens that its answers have for a model. */
    perMillionTokens: z.number().min(0).max(1_000_000).optional(),
  })
  .refine(({ perCall, perMillionTokens }) => (perCall ?? perMillionTokens) !== undefined, 'give one of both')
export type Price = z.output<typeof Price>

export const FEATURES = {
  quarantinePolicy: QuarantinePolicy,
  mock: Mock,
  cache: Cache,
  coalesce: Coalesce,
  capture: Capture,
  transform: Transform,
  pagination: Pagination,
  streaming: Streaming,
  contextBudget: ContextBudget,
  graphql: GraphqlCfg,
  ws: WsCfg,
  progress: ProgressCfg,
  price: Price,
  monitor: Monitor,
  routing: Routing,
} as const satisfies Readonly<Record<string, z.ZodType>>

export type FeatureName = keyof typeof FEATURES
/** As stored: with the defaults of the day it was set. */
export type Features = { readonly [K in FeatureName]?: K extends keyof StoredForms ? StoredForms[K] : FeatureInput<K> }
/** What is stored in another form than it is given in. */
type StoredForms = { contextBudget: KeptBudget; ws: KeptWs }
/** As an administrator sets it. */
export type FeatureInput<K extends FeatureName> = z.output<(typeof FEATURES)[K]>

export const FEATURE_NAMES = Object.keys(FEATURES) as readonly FeatureName[] // the keys of the object above
