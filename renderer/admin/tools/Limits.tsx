// The limits of a tool: rate, timeout, keys, approval, guardrails and redaction.
import { useMutation } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import type { ToolDetail } from '#contract'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/Field.tsx'
import { fieldProblem } from '../../ui/fault.ts'
import { notifyDone } from '../../ui/notify.ts'
import { SaveBar } from '../../ui/SaveBar.tsx'
import { Select } from '../../ui/Select.tsx'
import { TextArea } from '../../ui/TextArea.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { AllowedKeys } from './AllowedKeys.tsx'
import { ApprovalFields, type Drawn } from './ApprovalFields.tsx'
import { changeOf, guardsIn, type LimitsDraft, limitsOf } from './limits-draft.ts'
import { type Drafted, TryDraft } from './run/TryDraft.tsx'
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

export function Limits({ tool, readOnly }: { readonly tool: ToolDetail; readonly readOnly: boolean }) {
  const { update } = useToolChanges()
  const [trying, setTrying] = useState<Drafted | null>(null)
  const kept = useDraft(tool, limitsOf)
  const { base, before, draft, setDraft } = kept
  const change = (next: Partial<LimitsDraft>) => setDraft({ ...draft, ...next })
  const { patch, problems } = changeOf(before, draft)
  const save = useMutation({
    mutationFn: async () => {
      const changed = await kept.save(update(base, patch))
      const { patch: back } = changeOf(limitsOf(changed), before)
      notifyDone(`${tool.tool} was changed`, () => update(changed, back))
    },
  })
  const changed = Object.keys(patch).length > 0
  const ready = changed && Object.keys(problems).length === 0
  const problemOf = (path: string) => problems[path] ?? fieldProblem(save.error, path)
  const drawn: Drawn = { draft, readOnly, change, problemOf }
  return (
    <>
      <form
        className="grid max-w-3xl gap-5 px-6 py-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready && !kept.contested) save.mutate()
        }}
      >
        <fieldset disabled={readOnly} className="grid gap-5">
          <Rates {...drawn} />
          <AllowedKeys draft={draft} readOnly={readOnly} change={change} error={problemOf('guards.allowedKeyIds')} />
          <ApprovalFields {...drawn} />
          <Guardrails {...drawn} />
        </fieldset>
        <SaveBar
          kept={kept}
          what={tool.tool}
          changed={changed}
          ready={ready}
          busy={save.isPending}
          error={save.error}
          readOnly={readOnly}
          onDiscard={() => setDraft(before)}
        >
          <Button
            disabled={Object.keys(problems).length > 0}
            onClick={() => setTrying({ client: tool.client, tool: tool.tool, draft: guardsIn(patch) })}
          >
            <FlaskConical />
            Try a call…
          </Button>
        </SaveBar>
      </form>
      {/* Beside the form: what is sent in a dialog inside it would be sent by it as well. */}
      <TryDraft drafted={trying} onClose={() => setTrying(null)} />
    </>
  )
}

function Rates({ draft, change, problemOf }: Drawn) {
  return (
    <div className="grid grid-cols-2 gap-4">
      <Field
        label="Calls per minute"
        value={draft.rate}
        inputMode="numeric"
        placeholder="no limit of its own"
        onChange={(event) => change({ rate: event.target.value })}
        error={problemOf('guards.rateLimitPerMin')}
      />
      <Select label="Counted" value={draft.scope} options={SCOPES} onChange={(scope) => change({ scope })} />
      <Field
        label="Time for one attempt, in ms"
        value={draft.timeout}
        inputMode="numeric"
        placeholder="as the gateway is set"
        onChange={(event) => change({ timeout: event.target.value })}
        error={problemOf('guards.timeoutMs')}
      />
      <Select
        label="Step-up"
        value={draft.sensitive}
        options={SENSITIVE}
        onChange={(sensitive) => change({ sensitive })}
      />
    </div>
  )
}

function Guardrails({ draft, readOnly, change, problemOf }: Drawn) {
  return (
    <>
      <TextArea
        label="Refuse arguments that match"
        hint="One pattern a line. A match in any argument refuses the call before it leaves the gateway."
        value={draft.deny}
        rows={3}
        onChange={(event) => change({ deny: event.target.value })}
        error={problemOf('guardrails.denyPatterns')}
      />
      <Checkbox
        label="Refuse arguments that hold a secret, such as a private key or a token"
        checked={draft.blockSecrets}
        disabled={readOnly}
        onChange={(blockSecrets) => change({ blockSecrets })}
      />
      <Checkbox
        label="Mark answers that speak to the model as data, not as instructions"
        checked={draft.scanResponses}
        disabled={readOnly}
        onChange={(scanResponses) => change({ scanResponses })}
      />
      <TextArea
        label="Hide these values"
        hint="One path a line, such as customer.email. * is every element, ** any depth. Callers get [REDACTED], and nothing keeps the value."
        value={draft.redact}
        rows={3}
        spellCheck={false}
        onChange={(event) => change({ redact: event.target.value })}
        error={problemOf('redactPaths')}
      />
    </>
  )
}
