// What limits a tool: its rate, its time, whether it asks before it acts, and its own name and description.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ToolDetail, ToolPatch } from '#contract'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { fieldProblem } from '../../ui/fault.ts'
import { notifyDone } from '../../ui/notify.ts'
import { Select } from '../../ui/Select.tsx'
import { TextArea } from '../../ui/TextArea.tsx'
import { useToolChanges } from './use-tool-changes.ts'

const SENSITIVE = [
  { value: 'auto', label: 'As the gateway decides', about: 'By method, where it is set to gate writes' },
  { value: 'yes', label: 'Sensitive', about: 'A caller must confirm, or be elevated' },
  { value: 'no', label: 'Not sensitive' },
] as const
const SCOPES = [
  { value: 'tool', label: 'over all callers' },
  { value: 'principal', label: 'for each caller' },
] as const

type Draft = {
  readonly rate: string
  readonly scope: 'tool' | 'principal'
  readonly timeout: string
  readonly sensitive: (typeof SENSITIVE)[number]['value']
  readonly alias: string
  readonly description: string
  readonly deny: string
}

function draftOf(tool: ToolDetail): Draft {
  const { guards, overrides, config } = tool
  const guardrails = config.guardrails as { readonly denyPatterns?: readonly string[] } | null | undefined
  return {
    rate: String(guards?.rateLimitPerMin ?? ''),
    scope: guards?.rateLimitScope ?? 'tool',
    timeout: String(guards?.timeoutMs ?? ''),
    sensitive: tool.sensitiveSource === 'explicit' ? (tool.sensitive ? 'yes' : 'no') : 'auto',
    alias: tool.alias ?? '',
    description: typeof overrides?.description === 'string' ? overrides.description : '',
    deny: (guardrails?.denyPatterns ?? []).join('\n'),
  }
}

/** Only what changed is sent. */
function patchOf(before: Draft, after: Draft): ToolPatch {
  const changed = (key: keyof Draft): boolean => before[key] !== after[key]
  const number = (text: string): number | null => (text.trim() === '' ? null : Number(text))
  const denyPatterns = after.deny.split('\n').filter((line) => line !== '')
  return {
    ...(changed('rate') || changed('scope') || changed('timeout')
      ? {
          guards: {
            rateLimitPerMin: number(after.rate),
            rateLimitScope: after.scope,
            timeoutMs: number(after.timeout),
          },
        }
      : {}),
    ...(changed('sensitive') ? { sensitive: after.sensitive === 'auto' ? null : after.sensitive === 'yes' } : {}),
    ...(changed('alias') || changed('description')
      ? { overrides: { displayName: after.alias || null, description: after.description || null } }
      : {}),
    ...(changed('deny')
      ? { guardrails: denyPatterns.length > 0 ? { denyPatterns, blockSecrets: false, scanResponses: false } : null }
      : {}),
  }
}

export function Limits({ tool, readOnly }: { readonly tool: ToolDetail; readonly readOnly: boolean }) {
  const { update } = useToolChanges()
  const before = draftOf(tool)
  const [draft, setDraft] = useState(before)
  const change = (next: Partial<Draft>) => setDraft({ ...draft, ...next })
  const patch = patchOf(before, draft)
  const save = useMutation({
    mutationFn: () => update(tool, patch),
    onSuccess: () => notifyDone(`${tool.tool} was changed`),
  })
  return (
    <form
      className="mx-auto grid max-w-3xl gap-5 px-6 py-5"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <fieldset disabled={readOnly} className="grid gap-5">
        <div className="grid grid-cols-2 gap-4">
          <Field
            label="Calls per minute"
            value={draft.rate}
            inputMode="numeric"
            placeholder="no limit of its own"
            onChange={(event) => change({ rate: event.target.value })}
            error={fieldProblem(save.error, 'guards.rateLimitPerMin')}
          />
          <Select label="Counted" value={draft.scope} options={SCOPES} onChange={(scope) => change({ scope })} />
          <Field
            label="Time for one attempt, in ms"
            value={draft.timeout}
            inputMode="numeric"
            placeholder="as the gateway is set"
            onChange={(event) => change({ timeout: event.target.value })}
            error={fieldProblem(save.error, 'guards.timeoutMs')}
          />
          <Select
            label="Step-up"
            value={draft.sensitive}
            options={SENSITIVE}
            onChange={(sensitive) => change({ sensitive })}
          />
        </div>
        <TextArea
          label="Refuse arguments that match"
          hint="One pattern a line. A match in any argument refuses the call before it leaves the gateway."
          value={draft.deny}
          rows={3}
          onChange={(event) => change({ deny: event.target.value })}
          error={fieldProblem(save.error, 'guardrails.denyPatterns')}
        />
        <Field
          label="Its name here"
          value={draft.alias}
          spellCheck={false}
          placeholder={tool.tool}
          hint="Replaces the name in lists; the old one stays callable."
          onChange={(event) => change({ alias: event.target.value })}
          error={fieldProblem(save.error, 'overrides.displayName')}
        />
        <TextArea
          label="Its description here"
          hint="Replaces what the source says, for models that use it."
          value={draft.description}
          rows={4}
          placeholder={tool.upstreamDescription}
          onChange={(event) => change({ description: event.target.value })}
          error={fieldProblem(save.error, 'overrides.description')}
        />
      </fieldset>
      {save.error && <ErrorNote error={save.error} />}
      {!readOnly && (
        <div className="flex gap-2">
          <Button type="submit" look="strong" busy={save.isPending} disabled={Object.keys(patch).length === 0}>
            Save
          </Button>
          {Object.keys(patch).length > 0 && (
            <Button look="quiet" onClick={() => setDraft(before)}>
              Discard
            </Button>
          )}
        </div>
      )}
    </form>
  )
}
