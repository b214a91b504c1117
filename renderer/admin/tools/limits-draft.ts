// The limits of a tool as they are typed, and the patch they become; problems by field. Pure.
import {
  ApprovalCfg,
  Guardrails,
  type GuardsDraft,
  GuardsPatch,
  RedactPaths,
  type ToolDetail,
  type ToolPatch,
} from '#contract'

export type LimitsDraft = {
  readonly rate: string
  readonly scope: 'tool' | 'principal'
  readonly timeout: string
  /** The managed keys that may call it; none is all of them. */
  readonly keyIds: readonly number[]
  /** How many other keys may, known by their hash only. */
  readonly hashes: number
  readonly sensitive: 'auto' | 'yes' | 'no'
  readonly deny: string
  readonly blockSecrets: boolean
  readonly scanResponses: boolean
  /** One path a line. */
  readonly redact: string
  readonly approval: boolean
  readonly levels: string
  /** Separated by commas. */
  readonly approvers: string
  /** In minutes. */
  readonly waits: string
  readonly usable: string
}

type Limited = Pick<ToolDetail, 'guards' | 'config' | 'sensitive' | 'sensitiveSource'>

export function limitsOf({ guards, config, sensitive, sensitiveSource }: Limited): LimitsDraft {
  const guardrails = Guardrails.catch({ denyPatterns: [], blockSecrets: false, scanResponses: false }).parse(
    config.guardrails ?? {},
  )
  return {
    rate: String(guards?.rateLimitPerMin ?? ''),
    scope: guards?.rateLimitScope ?? 'tool',
    timeout: String(guards?.timeoutMs ?? ''),
    keyIds: guards?.allowedKeyIds ?? [],
    hashes: guards?.allowedKeyHashes.length ?? 0,
    sensitive: sensitiveSource === 'explicit' ? (sensitive ? 'yes' : 'no') : 'auto',
    deny: guardrails.denyPatterns.join('\n'),
    blockSecrets: guardrails.blockSecrets,
    scanResponses: guardrails.scanResponses,
    redact: RedactPaths.catch([])
      .parse(config.redactPaths ?? [])
      .join('\n'),
    ...approvalDraft(config.approval),
  }
}

const MINUTE_MS = 60_000
const minutes = (ms: number | undefined): string => (ms === undefined ? '' : String(ms / MINUTE_MS))

function approvalDraft(config: unknown) {
  const { required, levels, approvers, ttlMs, useTtlMs } = ApprovalCfg.catch(NO_APPROVAL).parse(config ?? NO_APPROVAL)
  return {
    approval: required,
    levels: String(levels),
    approvers: approvers.join(', '),
    waits: minutes(ttlMs),
    usable: minutes(useTtlMs),
  }
}
const NO_APPROVAL: ApprovalCfg = { required: false, levels: 1, approvers: [] }

export type Problems = Readonly<Record<string, string>>
export type Limits = { readonly patch: ToolPatch; readonly problems: Problems }

/** What is not sent stays: hashes can be taken out, and never be given back. */
const guardsOf = (before: LimitsDraft, { rate, scope, timeout, keyIds, hashes }: LimitsDraft): GuardsPatch => ({
  rateLimitPerMin: numberIn(rate),
  rateLimitScope: scope,
  timeoutMs: numberIn(timeout),
  ...(alike(before.keyIds, keyIds) ? {} : { allowedKeyIds: [...keyIds] }),
  ...(hashes < before.hashes ? { allowedApiKeys: null } : {}),
})

const alike = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** An empty field takes the limit away. What is no number stays none, so that the schema refuses it. */
const numberIn = (text: string): number | null => (text.trim() === '' ? null : Number(text))

function guardrailsOf({ deny, blockSecrets, scanResponses }: LimitsDraft) {
  const denyPatterns = deny.split('\n').filter((line) => line !== '')
  return denyPatterns.length > 0 || blockSecrets || scanResponses ? { denyPatterns, blockSecrets, scanResponses } : null
}

function redactOf({ redact }: LimitsDraft): string[] | null {
  const paths = redact.split('\n').filter((line) => line !== '')
  return paths.length > 0 ? paths : null
}

/** Without an approval nothing of it is kept. */
function approvalOf({ approval, levels, approvers, waits, usable }: LimitsDraft): ApprovalCfg | null {
  if (!approval) return null
  const [ttl, useTtl] = [numberIn(waits), numberIn(usable)]
  return {
    required: true,
    levels: Number(levels),
    approvers: approvers.split(/[\s,]+/).filter((name) => name !== ''),
    ...(ttl === null ? {} : { ttlMs: ttl * MINUTE_MS }),
    ...(useTtl === null ? {} : { useTtlMs: useTtl * MINUTE_MS }),
  }
}

/** Only what changed is sent; a feature goes whole, because the gateway replaces it whole. */
export function changeOf(before: LimitsDraft, after: LimitsDraft): Limits {
  const changed = (...keys: readonly (keyof LimitsDraft)[]): boolean =>
    keys.some((key) => !alike(before[key], after[key]))
  const patch: ToolPatch = {
    ...(changed('rate', 'scope', 'timeout', 'keyIds', 'hashes') ? { guards: guardsOf(before, after) } : {}),
    ...(changed('sensitive') ? { sensitive: after.sensitive === 'auto' ? null : after.sensitive === 'yes' } : {}),
    ...(changed('deny', 'blockSecrets', 'scanResponses') ? { guardrails: guardrailsOf(after) } : {}),
    ...(changed('redact') ? { redactPaths: redactOf(after) } : {}),
    ...(changed('approval', 'levels', 'approvers', 'waits', 'usable') ? { approval: approvalOf(after) } : {}),
  }
  return { patch, problems: problemsOf(patch) }
}

/** The parts of it that decide whether a call passes. What is no valid limit has a problem, and is not tried. */
export function guardsIn({ guards, sensitive, guardrails, approval }: ToolPatch): GuardsDraft {
  return {
    ...(guards ? { guards } : {}),
    ...(sensitive === undefined ? {} : { sensitive }),
    ...(guardrails === undefined ? {} : { guardrails }),
    ...(approval === undefined ? {} : { approval }),
  }
}

const FEATURES = {
  guards: GuardsPatch,
  guardrails: Guardrails,
  approval: ApprovalCfg,
} as const
const NO_NUMBER = 'must be a whole number'

/** By the gateway's own schemas, before anything is sent: JSON would turn what is no number into "no limit". */
function problemsOf(patch: ToolPatch): Problems {
  const found: Record<string, string> = {}
  for (const [feature, schema] of Object.entries(FEATURES)) {
    const value = patch[feature as keyof typeof FEATURES]
    const parsed = value ? schema.safeParse(value) : undefined
    for (const { path, message, code } of parsed?.error?.issues ?? []) {
      // A line of the list stands in one field with the others.
      const [key, line] = path.map(String)
      const name = `${feature}.${key}`
      const told = code === 'invalid_type' ? NO_NUMBER : message
      found[name] ??= line === undefined || feature === 'approval' ? told : `line ${Number(line) + 1}: ${told}`
    }
  }
  const redacted = patch.redactPaths ? RedactPaths.safeParse(patch.redactPaths) : undefined
  const [issue] = redacted?.error?.issues ?? []
  if (issue)
    found.redactPaths = issue.path.length === 0 ? issue.message : `line ${Number(issue.path[0]) + 1}: ${issue.message}`
  return found
}
