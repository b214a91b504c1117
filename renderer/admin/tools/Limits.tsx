// The limits of a tool: rate, timeout, keys, approval, guardrails and redaction.
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { LIMITS_FORM, LIMITS_PARTS, limitsOf } from './limits-form.tsx'
import { type Drafted, TryDraft } from './run/TryDraft.tsx'
import { type OfTool, ToolForm } from './ToolForm.tsx'

export function Limits({ tool, readOnly }: OfTool) {
  const [trying, setTrying] = useState<Drafted | null>(null)
  return (
    <>
      <ToolForm
        tool={tool}
        readOnly={readOnly}
        form={LIMITS_FORM}
        parts={LIMITS_PARTS}
        valuesOf={limitsOf}
        done={`${tool.tool} was changed`}
      >
        {({ redactPaths: _notTried, ...draft }, valid) => (
          <Button disabled={!valid} onClick={() => setTrying({ client: tool.client, tool: tool.tool, draft })}>
            <FlaskConical />
            Try a call…
          </Button>
        )}
      </ToolForm>
      {/* Outside the form: submitting a dialog inside would submit the form too. */}
      <TryDraft drafted={trying} onClose={() => setTrying(null)} />
    </>
  )
}
