// Whether calls of a tool wait for a person, for how many, for whom and how long.
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/Field.tsx'
import type { LimitsDraft } from './limits-draft.ts'

/** What the parts of the limits are drawn with. */
export type Drawn = {
  readonly draft: LimitsDraft
  readonly readOnly: boolean
  readonly change: (next: Partial<LimitsDraft>) => void
  readonly problemOf: (path: string) => string | undefined
}

export function ApprovalFields({ draft, readOnly, change, problemOf }: Drawn) {
  return (
    <>
      <Checkbox
        label="Every call waits for the approval of a person"
        checked={draft.approval}
        disabled={readOnly}
        onChange={(approval) => change({ approval })}
      />
      {draft.approval && (
        <div className="grid grid-cols-2 gap-4 border-l-2 border-line pl-4">
          <Field
            label="How many must agree"
            value={draft.levels}
            inputMode="numeric"
            onChange={(event) => change({ levels: event.target.value })}
            error={problemOf('approval.levels')}
          />
          <Field
            label="Who may decide"
            value={draft.approvers}
            placeholder="any operator"
            spellCheck={false}
            autoComplete="off"
            hint="User names, separated by commas."
            onChange={(event) => change({ approvers: event.target.value })}
            error={problemOf('approval.approvers')}
          />
          <Field
            label="A call waits for, in minutes"
            value={draft.waits}
            inputMode="numeric"
            placeholder="as the gateway is set"
            onChange={(event) => change({ waits: event.target.value })}
            error={problemOf('approval.ttlMs')}
          />
          <Field
            label="Usable once approved for, in minutes"
            value={draft.usable}
            inputMode="numeric"
            placeholder="as the gateway is set"
            onChange={(event) => change({ usable: event.target.value })}
            error={problemOf('approval.useTtlMs')}
          />
        </div>
      )}
    </>
  )
}
