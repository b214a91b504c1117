// Checks a call against unsaved guards; nothing is sent.

import { useMutation, useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useState } from 'react'
import type { GuardsDraft, TestResult, ToolDetail } from '#contract'
import { api } from '../../../api/api.ts'
import { t } from '../../../language/language.ts'
import { rich } from '../../../language/rich.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { cx } from '../../../ui/cx.ts'
import { Dialog, DialogActions } from '../../../ui/Dialog.tsx'
import { ErrorNote } from '../../../ui/ErrorState.tsx'
import { SchemaForm } from '../../../ui/form/SchemaForm.tsx'
import { isRecord } from '../../../ui/form/shape.ts'
import { PageSkeleton } from '../../../ui/Skeleton.tsx'
import { submitting } from '../../../ui/submitting.ts'
import { type ChosenKey, PickKey } from '../../keys/PickKey.tsx'
import { Pipeline } from './Answer.tsx'
import { sampleOf } from './sample.ts'

export type Drafted = { readonly client: string; readonly tool: string; readonly draft: GuardsDraft }

/** Open while a draft is given. */
export function TryDraft({ drafted, onClose }: { readonly drafted: Drafted | null; readonly onClose: () => void }) {
  return (
    <Dialog
      open={drafted !== null}
      onClose={onClose}
      title={t('Try a call of {value}', { value: drafted?.tool ?? '' })}
      about={t(
        'Checks a call against the changed limits. Nothing is sent, counted or stored. Redaction and flags apply to real calls only.',
      )}
      width="max-w-2xl"
    >
      {drafted && <Loaded drafted={drafted} onClose={onClose} />}
    </Dialog>
  )
}

type Opened = { readonly drafted: Drafted; readonly onClose: () => void }

function Loaded({ drafted, onClose }: Opened) {
  const { client, tool: name } = drafted
  const tool = useQuery({
    queryKey: ['tools', 'one', client, name],
    queryFn: () => api.tools.get({ params: { name: client, tool: name } }),
  })
  if (tool.data) return <Form tool={tool.data} drafted={drafted} onClose={onClose} />
  return tool.error ? <ErrorNote error={tool.error} /> : <PageSkeleton />
}

function Form({ tool, drafted: { draft }, onClose }: Opened & { readonly tool: ToolDetail }) {
  const [args, setArgs] = useState(() => sampleOf(tool.inputSchema))
  const [key, setKey] = useState<ChosenKey | null>(null)
  const [confirm, setConfirm] = useState(false)
  const run = useMutation({
    mutationFn: () =>
      api.tools.test({
        params: { name: tool.client, tool: tool.tool },
        body: {
          args: { ...args, ...(confirm ? { __confirm: true } : {}) },
          dryRun: true,
          draft,
          ...(key ? { keyId: key.id } : {}),
        },
      }),
  })
  return (
    <form
      // Incomplete arguments may be tried, to see the gateway's answer.
      noValidate
      className="flex flex-col gap-4 pt-1"
      onSubmit={submitting(() => run.mutate())}
    >
      <SchemaForm schema={tool.inputSchema} value={args} onChange={(next) => setArgs(isRecord(next) ? next : {})} />
      <div className="grid grid-cols-2 items-end gap-4 border-t border-line pt-4">
        <PickKey label={t('As')} chosen={key} onPick={setKey} />
        <Checkbox
          label={t('With confirmation, as required for sensitive tools')}
          checked={confirm}
          onChange={setConfirm}
        />
      </div>
      {run.error && <ErrorNote error={run.error} />}
      <div aria-live="polite">{run.data && <Verdict answer={run.data} />}</div>
      <DialogActions>
        <Button onClick={onClose}>{t('Close')}</Button>
        <Button type="submit" look="strong" busy={run.isPending}>
          <Play />
          {t('Try the call')}
        </Button>
      </DialogActions>
    </form>
  )
}

function Verdict({ answer }: { readonly answer: TestResult }) {
  const { outcome, code, result, pipeline } = answer
  const passes = outcome === 'success'
  const [block] = result.content
  return (
    <div className="flex flex-col gap-3">
      <p className={cx('rounded-md px-3 py-2 text-sm', passes ? 'bg-ok-soft' : 'bg-warn-soft')}>
        {passes ? (
          t('This call would be sent to the backend.')
        ) : (
          <>
            {rich('This call would be {value}{code}{value2}', {
              value: outcome === 'refused' ? t('refused') : t('answered with an error'),
              code: code && <code className="ml-1.5 font-mono text-xs">{code}</code>,
              value2: typeof block?.text === 'string' && (
                <span className="mt-1 block break-words text-ink-2">{block.text}</span>
              ),
            })}
          </>
        )}
      </p>
      <details>
        <summary className="rounded text-xs font-medium text-ink-2">{t('Pipeline')}</summary>
        <div className="mt-2">
          <Pipeline stages={pipeline} />
        </div>
      </details>
    </div>
  )
}
