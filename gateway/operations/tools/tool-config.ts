// The configuration of one tool: what a change makes of it, and what may not be made. Contract 8.1–8.4.

import { createHash } from 'node:crypto'
import type { FeatureName } from '../../contract/admin/tool-features.ts'
import { ApprovalCfg, type Guards, type GuardsPatch } from '../../contract/admin/tool-guards.ts'
import { type OverridesPatch, type ToolPatch } from '../../contract/admin/tools.ts'
import type { AuditAction } from '../../contract/audit-action.ts'
import { GatewayError } from '../../contract/error.ts'
import { SEARCH_TOOL } from '../../contract/names.ts'
import { type ToolRecord, toolsOf } from '../../storage/backends.ts'
import { fromText } from '../../storage/json-text.ts'
import type { Tx } from '../../storage/schema.ts'
import type { ToolConfig } from '../../storage/stored.ts'
import { linearPattern } from '../../text/linear-pattern.ts'
import { FEATURE_ACTIONS, type FeatureChanges, mergeFeatures, requireFit, type Subject } from './tool-features.ts'

/** Beside what the API takes: hashes, which only a configuration document gives. */
export type GuardsWanted = GuardsPatch & { readonly allowedKeyHashes?: readonly string[] | undefined }

export function mergeGuards(known: Guards | undefined, patch: GuardsWanted | null): Guards | undefined {
  if (patch === null) return undefined
  const { rateLimitPerMin, rateLimitScope, timeoutMs, allowedApiKeys, allowedKeyHashes, allowedKeyIds } = patch
  const merged: Guards = {
    rateLimitPerMin: rateLimitPerMin === undefined ? (known?.rateLimitPerMin ?? null) : rateLimitPerMin,
    rateLimitScope: rateLimitScope ?? known?.rateLimitScope ?? 'tool',
    timeoutMs: timeoutMs === undefined ? (known?.timeoutMs ?? null) : timeoutMs,
    // Raw keys end here: what is kept, shown and exported is their hash.
    allowedKeyHashes:
      allowedApiKeys === undefined
        ? [...new Set(allowedKeyHashes ?? known?.allowedKeyHashes)]
        : [...new Set((allowedApiKeys ?? []).map((key) => createHash('sha256').update(key).digest('hex')))],
    allowedKeyIds: allowedKeyIds === undefined ? (known?.allowedKeyIds ?? []) : [...new Set(allowedKeyIds ?? [])],
  }
  const empty =
    merged.rateLimitPerMin === null &&
    merged.rateLimitScope === 'tool' &&
    merged.timeoutMs === null &&
    merged.allowedKeyHashes.length === 0 &&
    merged.allowedKeyIds.length === 0
  return empty ? undefined : merged
}

function mergeOverrides(known: OverridesPatch | undefined, patch: OverridesPatch | null): OverridesPatch | undefined {
  if (patch === null) return undefined
  const merged = Object.fromEntries(
    Object.entries({ ...known, ...patch }).filter(([, value]) => value !== null && value !== undefined),
  )
  return Object.keys(merged).length === 0 ? undefined : merged
}

function checkPatterns(patterns: readonly string[]): void {
  for (const [at, pattern] of patterns.entries()) {
    try {
      linearPattern(pattern)
    } catch (error) {
      const message = error instanceof Error ? error.message : 'cannot be used'
      throw new GatewayError('UNSAFE_PATTERN', `guardrails.denyPatterns.${at}: ${message}`, {
        fields: [{ path: `guardrails.denyPatterns.${at}`, message }],
      })
    }
  }
}

const NO_APPROVAL: ApprovalCfg = ApprovalCfg.parse({ required: false })

/** Of both spellings, which never come together. */
function mergeApproval(
  known: ApprovalCfg | undefined,
  { approval, requiresApproval, approvalLevels }: Pick<ToolPatch, 'approval' | 'requiresApproval' | 'approvalLevels'>,
): ApprovalCfg | undefined {
  if (approval === null) return undefined
  const wanted = approval ?? flatApproval(known, requiresApproval, approvalLevels)
  if (wanted && wanted.approvers.length > 0 && wanted.levels > wanted.approvers.length) {
    const message = `must be at most ${wanted.approvers.length}: no one else may approve`
    throw new GatewayError('VALIDATION_ERROR', `approval.levels ${message}`, {
      fields: [{ path: 'approval.levels', message }],
    })
  }
  return wanted
}

function flatApproval(
  known: ApprovalCfg | undefined,
  required: ToolPatch['requiresApproval'],
  levels: ToolPatch['approvalLevels'],
): ApprovalCfg | undefined {
  if (required === undefined && levels == null) return known
  if (required === false || required === null) return undefined
  // How many must agree does not state whether anyone has to.
  return { ...(known ?? NO_APPROVAL), ...(required && { required }), ...(levels != null && { levels }) }
}

/** An alias is a name of its backend: no other tool may have it, as name or as alias. */
export async function checkAlias(tx: Tx, tool: ToolRecord, alias: string): Promise<void> {
  const others = (await toolsOf(tx, tool.backend_id)).filter(({ id }) => id !== tool.id)
  const clash =
    alias === SEARCH_TOOL ||
    others.some(({ name, config }) => name === alias || configOf(config).overrides?.displayName === alias)
  if (clash) throw new GatewayError('TOOL_ALIAS_CONFLICT', `"${alias}" is a name or alias of this backend already`)
}

/** What a key of the patch is audited as. */
export const ACTIONS: readonly (readonly [keyof ToolConfig, AuditAction])[] = [
  ['guards', 'tool.guards.update'],
  ['overrides', 'tool.override.update'],
  ['sensitive', 'tool.sensitivity.update'],
  ['redactPaths', 'tool.redaction.update'],
  ['guardrails', 'tool.guardrails.update'],
  ['approval', 'tool.approval.update'],
  ['listOutputSchema', 'tool.output_schema.update'],
  ...FEATURE_ACTIONS,
]

// Written below, in this very shape.
export const configOf = (text: ToolRecord['config']): ToolConfig => fromText(text)

export type ToolWanted = Omit<ToolPatch, 'guards' | FeatureName> &
  FeatureChanges & { readonly guards?: GuardsWanted | null | undefined }

export function patched(config: ToolConfig, patch: ToolWanted, subject: Subject): ToolConfig {
  const guards = patch.guards === undefined ? config.guards : mergeGuards(config.guards, patch.guards)
  const overrides = patch.overrides === undefined ? config.overrides : mergeOverrides(config.overrides, patch.overrides)
  const guardrails = patch.guardrails === undefined ? config.guardrails : (patch.guardrails ?? undefined)
  const redactPaths =
    patch.redactPaths === undefined ? config.redactPaths : patch.redactPaths?.length ? patch.redactPaths : undefined
  const sensitive = patch.sensitive === undefined ? config.sensitive : (patch.sensitive ?? undefined)
  const listOutputSchema = patch.listOutputSchema === undefined ? config.listOutputSchema : patch.listOutputSchema
  const approval = mergeApproval(config.approval, patch)
  const enabled = patch.enabled ?? config.enabled ?? true
  checkPatterns(patch.guardrails?.denyPatterns ?? [])
  const next: ToolConfig = {
    ...(enabled ? {} : { enabled: false }),
    ...(guards ? { guards } : {}),
    ...(overrides ? { overrides } : {}),
    ...(sensitive === undefined ? {} : { sensitive }),
    ...(redactPaths ? { redactPaths } : {}),
    ...(guardrails ? { guardrails } : {}),
    ...(approval ? { approval } : {}),
    ...(listOutputSchema ? { listOutputSchema } : {}),
    ...mergeFeatures(config, patch),
  }
  requireFit(patch, { ...subject, config: next })
  return next
}
