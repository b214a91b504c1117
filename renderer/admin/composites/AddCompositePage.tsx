// Creates a composite with the same editor that changes it.

import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { CompositeInput } from '#contract'
import { t } from '../../language/language.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { fieldProblem } from '../../ui/fault.ts'
import { notifyDone } from '../../ui/notify.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Select } from '../../ui/Select.tsx'
import { submitting } from '../../ui/submitting.ts'
import { useKeptState } from '../../ui/use-kept-state.ts'
import { useLead } from '../../ui/use-mounted.ts'
import { CompositeEditor } from './CompositeEditor.tsx'
import { type CompositeDraft, NOTHING, newStep } from './draft.ts'
import { FIRST_SCRIPT } from './first-script.ts'
import { ScriptEditor } from './ScriptEditor.tsx'
import { ScriptInput } from './ScriptInput.tsx'
import { useCheckedComposite } from './use-checked-composite.ts'
import { useCompositeChanges } from './use-composite-changes.ts'

const BLANK: CompositeDraft = {
  description: '',
  inputSchema: JSON.stringify({ type: 'object', properties: {} }, null, 2),
  steps: [newStep('first')],
  output: NOTHING,
  script: null,
  outputSchema: null,
}

const KINDS = [
  { value: 'steps', label: t('Steps'), about: t('Tools one after another, with values passed on by references') },
  { value: 'script', label: t('Script'), about: t('TypeScript over tools, which a person approves') },
] as const

export function AddCompositePage() {
  const lead = useLead()
  const { create } = useCompositeChanges()
  const { state, setState, forget } = useKeptState('composite', { name: '', ...BLANK })
  const { name, ...draft } = state
  const save = useMutation({
    mutationFn: (input: CompositeInput) => create(input),
    onSuccess: (made) => {
      forget()
      notifyDone(
        made.approved === false
          ? t('{name} is saved; approve its script, then list it in bundles', { name: made.name })
          : t('{name} can be listed in bundles now', { name: made.name }),
      )
      lead(`/composites/${made.name}`)
    },
  })
  const { problem, submit } = useCheckedComposite(draft, name, save.error)
  const editor = {
    draft,
    readOnly: false,
    problem,
    onChange: (next: CompositeDraft) => setState({ name, ...next }),
  }
  return (
    <form className="max-w-7xl pb-10" noValidate onSubmit={submitting(() => submit(save.mutate))}>
      <PageHeader title={t('New composite')} about={t('Several tools in sequence, called as one.')} />
      <div className="flex flex-col gap-4 px-6">
        <div className="max-w-md">
          <Field
            label={t('Name')}
            value={name}
            required
            spellCheck={false}
            placeholder={t('find-and-fetch')}
            hint={t('Lower-case letters, digits, - and _. It cannot be changed later.')}
            onChange={(event) => setState({ ...state, name: event.target.value.trim() })}
            error={fieldProblem(save.error, 'name')}
          />
        </div>
        <div className="max-w-md">
          <Select
            label={t('Made of')}
            value={draft.script === null ? 'steps' : 'script'}
            options={KINDS}
            onChange={(kind) => setState({ ...state, script: kind === 'steps' ? null : FIRST_SCRIPT })}
          />
        </div>
        {draft.script === null ? (
          <CompositeEditor {...editor} />
        ) : (
          <>
            <ScriptInput {...editor} />
            <ScriptEditor {...editor} />
          </>
        )}
        {save.error && <ErrorNote error={save.error} />}
        <div className="flex gap-2">
          <Link to="/composites" className={buttonClass({})} onClick={forget}>
            {t('Cancel')}
          </Link>
          <Button type="submit" look="strong" busy={save.isPending} disabled={name === ''}>
            {t('Create composite')}
          </Button>
        </div>
      </div>
    </form>
  )
}
