// The form of a tool's limits, and its draft.
import { ApprovalCfg, Guardrails, GuardsDraft, RedactPaths, type ToolDetail } from '#contract'
import { t } from '../../language/language.ts'
import { type Draft, type Form, fieldsOf } from '../../ui/form/fields.ts'
import type { FormPart } from '../../ui/form/PageForm.tsx'
import { AllowedKeys, OtherKeys } from './AllowedKeys.tsx'

const Limits = GuardsDraft.extend({ redactPaths: RedactPaths.nullable().optional() })
const MINUTE_MS = 60_000
const waits = (draft: Draft): boolean => draft['approval.required'] === true

export const isOpen = (draft: Draft): boolean =>
  draft['guards.allowedApiKeys'] === 0 && keysIn(draft['guards.allowedKeyIds']).length === 0

export const keysIn = (value: unknown): readonly number[] =>
  Array.isArray(value) ? value.filter((id) => typeof id === 'number') : []

export const LIMITS_FORM: Form<Readonly<Record<string, unknown>>> = {
  schema: Limits,
  carried: [],
  fields: fieldsOf(Limits, {
    'guards.rateLimitPerMin': { label: t('Calls per minute'), placeholder: t('no limit of its own'), half: true },
    'guards.rateLimitScope': {
      label: t('Counted'),
      options: { tool: t('for all callers'), principal: t('per caller') },
      needed: true,
      half: true,
    },
    'guards.timeoutMs': { label: t('Timeout per attempt, in ms'), placeholder: t('gateway default'), half: true },
    sensitive: {
      label: t('Step-up'),
      options: {
        '': { label: t('Gateway default'), about: t('By method, if the gateway gates writes') },
        true: { label: t('Sensitive'), about: t('Callers must confirm, unless elevated') },
        false: t('Not sensitive'),
      },
      half: true,
    },
    'guards.allowedKeyIds': {
      label: t('Keys'),
      draw: ({ value, disabled, error, onChange }) => (
        <AllowedKeys ids={keysIn(value)} readOnly={disabled} error={error} onChange={onChange} />
      ),
    },
    'guards.allowedApiKeys': {
      label: t('Other keys'),
      draw: ({ value, disabled, onChange }) =>
        typeof value === 'number' &&
        value > 0 && <OtherKeys count={value} onTake={disabled ? undefined : () => onChange(0)} />,
      // Known by hash only: they can be removed, but not sent.
      write: (count) => (count === 0 ? null : undefined),
    },
    'approval.required': { label: t('Require approval for every call') },
    'approval.levels': { label: t('Required approvals'), when: waits, needed: true, half: true },
    'approval.approvers': {
      label: t('Approvers'),
      list: 'words',
      placeholder: t('any operator'),
      hint: t('User names, separated by commas.'),
      when: waits,
      half: true,
    },
    'approval.ttlMs': {
      label: t('Request expires after, in minutes'),
      unit: MINUTE_MS,
      placeholder: t('gateway default'),
      when: waits,
      half: true,
    },
    'approval.useTtlMs': {
      label: t('Approval expires after, in minutes'),
      unit: MINUTE_MS,
      placeholder: t('gateway default'),
      when: waits,
      half: true,
    },
    'guardrails.denyPatterns': {
      label: t('Refuse arguments matching'),
      hint: t('One pattern per line. A match in any argument refuses the call.'),
      list: 'lines',
      rows: 3,
    },
    'guardrails.blockSecrets': { label: t('Refuse arguments that contain a secret, such as a private key or token') },
    'guardrails.scanResponses': { label: t('Flag possible prompt injection in responses') },
    redactPaths: {
      label: t('Redact values'),
      hint: t(
        'One path per line, such as customer.email. * matches every element, ** any depth. Callers get [REDACTED]; the value is not stored.',
      ),
      list: 'lines',
      rows: 3,
    },
  }),
}

export const LIMITS_PARTS: readonly FormPart[] = [
  { paths: ['guards.rateLimitPerMin', 'guards.rateLimitScope', 'guards.timeoutMs', 'sensitive'] },
  {
    title: t('Allowed keys'),
    about: (draft) =>
      isOpen(draft) ? t('Any key with access. Add keys here to allow only those.') : t('Only these keys are allowed.'),
    paths: ['guards.allowedKeyIds', 'guards.allowedApiKeys'],
  },
  {
    title: t('Approval'),
    paths: ['required', 'levels', 'approvers', 'ttlMs', 'useTtlMs'].map((name) => `approval.${name}`),
  },
  {
    title: t('Content'),
    paths: ['guardrails.denyPatterns', 'guardrails.blockSecrets', 'guardrails.scanResponses', 'redactPaths'],
  },
]

/** Defaults for unset limits. */
export function limitsOf({
  guards,
  config,
  sensitive,
  sensitiveSource,
}: Pick<ToolDetail, 'guards' | 'config' | 'sensitive' | 'sensitiveSource'>) {
  return {
    guards: {
      rateLimitPerMin: guards?.rateLimitPerMin,
      rateLimitScope: guards?.rateLimitScope ?? 'tool',
      timeoutMs: guards?.timeoutMs,
      allowedKeyIds: guards?.allowedKeyIds ?? [],
      allowedApiKeys: guards?.allowedKeyHashes.length ?? 0,
    },
    sensitive: sensitiveSource === 'explicit' ? sensitive : null,
    guardrails: Guardrails.catch(Guardrails.parse({})).parse(config.guardrails ?? {}),
    approval: ApprovalCfg.catch(NO_APPROVAL).parse(config.approval ?? NO_APPROVAL),
    redactPaths: RedactPaths.catch([]).parse(config.redactPaths ?? []),
  }
}
const NO_APPROVAL: ApprovalCfg = { required: false, levels: 1, approvers: [] }
