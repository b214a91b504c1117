// The runner of a tool: arguments by form or JSON, as a key or the user, through a bundle, or as a dry run.

import { useMutation } from '@tanstack/react-query'
import { Save, Users } from 'lucide-react'
import { useState } from 'react'
import type { TestResult, ToolDetail } from '#contract'
import { api } from '../../../api/api.ts'
import { useActor } from '../../../api/session.ts'
import { t } from '../../../language/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { TextArea } from '../../../ui/Field.tsx'
import { SchemaForm } from '../../../ui/form/SchemaForm.tsx'
import { isRecord } from '../../../ui/form/shape.ts'
import { notifyDone } from '../../../ui/notify.ts'
import { SaveAs } from '../../../ui/SaveAs.tsx'
import type { Arguments } from '../../../ui/without-secrets.ts'
import { PickBundle } from '../../bundles/PickBundle.tsx'
import { type ChosenKey, PickKey } from '../../keys/PickKey.tsx'
import { Answer } from './Answer.tsx'
import { ExampleDialog } from './ExampleDialog.tsx'
import { Examples } from './Examples.tsx'
import { Recall } from './Recall.tsx'
import { type Doing, noteRun, type Setup, savePreset } from './run-store.ts'
import { sampleOf } from './sample.ts'
import { TryPanes } from './TryPanes.tsx'
import { useArguments } from './use-arguments.ts'
import { useExampleChanges } from './use-example-changes.ts'

export function Runner({ tool, first }: { readonly tool: ToolDetail; readonly first?: Arguments | undefined }) {
  const user = useActor().name
  const typed = useArguments(() => first ?? sampleOf(tool.inputSchema))
  const { args, problem, replace } = typed
  const [dryRun, setDryRun] = useState(false)
  const [confirm, setConfirm] = useState(false)
  const [key, setKey] = useState<ChosenKey | null>(null)
  const [bundle, setBundle] = useState('')
  const [keeping, setKeeping] = useState<Keeping | null>(null)
  const address = `${tool.client}__${tool.tool}`
  const doing: Doing = { user, tool: address, key, bundle, args, schema: tool.inputSchema }
  const run = useMutation({
    mutationFn: (): Promise<TestResult> =>
      api.tools.test({
        params: { name: tool.client, tool: tool.tool },
        body: {
          args: { ...args, ...(confirm ? { __confirm: true } : {}) },
          dryRun,
          ...(key ? { keyId: key.id } : {}),
          ...(bundle ? { bundle } : {}),
        },
      }),
    onSuccess: (result) => noteRun(doing, dryRun, result, Date.now()),
  })
  const recall = (setup: Setup): void => {
    replace(setup.args)
    setKey(setup.key)
    setBundle(setup.bundle)
    run.reset()
  }
  return (
    <>
      <TryPanes
        submit={dryRun ? t('Check the call') : t('Call the tool')}
        busy={run.isPending}
        error={run.error}
        ready={problem === undefined}
        onSubmit={run.mutate}
        beside={<KeepButtons disabled={problem !== undefined} onKeep={setKeeping} />}
        answer={
          run.data && <Answer answer={run.data} of={{ client: tool.client, tool: tool.tool, keyId: key?.id ?? null }} />
        }
        awaited={{
          title: t('The response appears here'),
          about: t('With each pipeline step, its duration, and the refusing step.'),
        }}
        below={
          <div className="flex flex-col gap-4 px-6 pb-6">
            <Examples
              tool={tool}
              onPick={(example) => {
                replace(example)
                run.reset()
              }}
            />
            <Recall user={user} tool={address} onRecall={recall} />
          </div>
        }
      >
        <ArgumentFields tool={tool} {...typed} />
        <div className="grid grid-cols-2 items-end gap-4 border-t border-line pt-4">
          <PickKey label={t('As')} chosen={key} onPick={setKey} />
          <PickBundle label={t('Through')} name={bundle} without={t('Its backend')} onPick={setBundle} />
          {tool.sensitive && (
            <Checkbox label={t('Confirm the sensitive call')} checked={confirm} onChange={setConfirm} />
          )}
          <Checkbox label={t('Dry run (do not send)')} checked={dryRun} onChange={setDryRun} />
        </div>
      </TryPanes>
      <KeepDialogs tool={tool} doing={doing} kept={keeping} onClose={() => setKeeping(null)} />
    </>
  )
}

/** Saves in this browser, or as an example on the gateway. */
type Keeping = 'preset' | 'example'

function KeepDialogs({
  tool,
  doing,
  kept,
  onClose,
}: {
  readonly tool: ToolDetail
  readonly doing: Doing
  readonly kept: Keeping | null
  readonly onClose: () => void
}) {
  const { create } = useExampleChanges(tool)
  return (
    <>
      <ExampleDialog open={kept === 'example'} args={doing.args} onClose={onClose} onSubmit={create} />
      <SaveAs
        open={kept === 'preset'}
        title={t('Save these arguments')}
        about={t('Saved in this browser only. Values that look like secrets are omitted.')}
        example={t('A pet that exists')}
        onClose={onClose}
        onName={(name) => {
          const { leftOut } = savePreset(doing, name)
          notifyDone(
            leftOut.length === 0
              ? t('“{name}” was saved', { name })
              : t('“{name}” was saved without {value}', { name, value: leftOut.join(', ') }),
          )
        }}
      />
    </>
  )
}

/** The arguments by a form or as JSON. */
function ArgumentFields({
  tool,
  args,
  text,
  problem,
  generation,
  set,
  write,
}: ReturnType<typeof useArguments> & { readonly tool: ToolDetail }) {
  const [mode, setMode] = useState<'form' | 'json'>('form')
  return (
    <>
      <div role="radiogroup" aria-label={t('Arguments as')} className="flex gap-1">
        {(['form', 'json'] as const).map((each) => (
          <Button
            key={each}
            size="sm"
            role="radio"
            aria-checked={mode === each}
            // The form cannot show invalid JSON, and must not show the previous value.
            disabled={each === 'form' && problem !== undefined}
            look={mode === each ? 'plain' : 'quiet'}
            onClick={() => setMode(each)}
          >
            {each === 'form' ? t('Form') : t('JSON')}
          </Button>
        ))}
      </div>
      {mode === 'form' ? (
        <SchemaForm
          key={`${tool.schemaHash}:${generation}`}
          schema={tool.inputSchema}
          value={args}
          onChange={(next) => set(isRecord(next) ? next : {})}
        />
      ) : (
        <TextArea
          label={t('Arguments')}
          rows={14}
          value={text}
          error={problem}
          onChange={(event) => write(event.target.value)}
        />
      )}
    </>
  )
}

function KeepButtons({ disabled, onKeep }: { readonly disabled: boolean; readonly onKeep: (what: Keeping) => void }) {
  return (
    <>
      <Button disabled={disabled} onClick={() => onKeep('preset')}>
        <Save />
        {t('Save these arguments…')}
      </Button>
      <Button disabled={disabled} onClick={() => onKeep('example')}>
        <Users />
        {t('Save as example…')}
      </Button>
    </>
  )
}
