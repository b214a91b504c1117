// Applies a policy to the selected tools after a preview.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { GuardPolicy, ToolRow } from '#contract'
import { findPolicies } from '../../api/find.ts'
import { t } from '../../language/language.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { ErrorNote, ErrorState } from '../../ui/ErrorState.tsx'
import { formatTools } from '../../ui/format.ts'
import { Select } from '../../ui/Select.tsx'
import { useSubmit } from '../../ui/use-mounted.ts'
import { PolicyPreview } from '../policies/PolicyPreview.tsx'
import { MOST_TOOLS, usePolicyChanges } from '../policies/use-policy-changes.ts'

type Props = { readonly tools: readonly ToolRow[]; readonly onDone: () => void; readonly onClose: () => void }

export function LimitTools({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog
      open={open}
      onClose={props.onClose}
      title={t('Limit {count}', { count: formatTools(props.tools.length) })}
      about={t('A policy contains the limits. You will see a preview before anything changes.')}
      width="max-w-4xl"
    >
      {open && <Choice {...props} />}
    </Dialog>
  )
}

function Choice(props: Props) {
  const policies = useQuery({ queryKey: ['policies', 'all'], queryFn: () => findPolicies('') })
  if (policies.error) return <ErrorState error={policies.error} onRetry={() => void policies.refetch()} />
  if (!policies.data) return null
  if (props.tools.length > MOST_TOOLS)
    return (
      <p className="text-sm text-ink-2">
        {t('At most {MOST_TOOLS} tools are limited at once: narrow the filter first.', { MOST_TOOLS })}
      </p>
    )
  if (policies.data.items.length === 0)
    return (
      <div className="flex items-center gap-4 text-sm text-ink-2">
        <p className="grow">{t('No policies yet.')}</p>
        <Link to="/policies" className={buttonClass({ look: 'strong' })}>
          {t('Create policy')}
        </Link>
      </div>
    )
  return <Apply {...props} policies={policies.data.items} />
}

function Apply({ tools, policies, onDone, onClose }: Props & { readonly policies: readonly GuardPolicy[] }) {
  const { preview, apply } = usePolicyChanges()
  // Fixed on opening, so that preview and change use the same tools.
  const [target] = useState(() => ({ tools: tools.map(({ client, tool }) => ({ client, tool })) }))
  const looked = useMutation({ mutationFn: (policy: GuardPolicy) => preview(policy, target) })
  const policy = looked.variables
  const done = useSubmit((chosen: GuardPolicy) => apply(chosen, target), onDone)
  const count = looked.data?.changes.length ?? 0
  return (
    <>
      <Select
        label={t('Policy')}
        className="w-72"
        value={policy ? String(policy.id) : 'none'}
        options={[
          ...(policy ? [] : [{ value: 'none', label: t('Choose one') }]),
          ...policies.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        onChange={(id) => {
          const chosen = policies.find((each) => String(each.id) === id)
          if (chosen) looked.mutate(chosen)
        }}
      />
      <div aria-live="polite" className="-mx-5 mt-4">
        {looked.error && <ErrorNote error={looked.error} className="mx-5" />}
        {looked.data && <PolicyPreview found={looked.data} />}
        {done.error && <ErrorNote error={done.error} className="mx-5 mt-4" />}
      </div>
      <DialogActions>
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button
          look="strong"
          busy={done.isPending}
          disabled={!policy || count === 0}
          onClick={() => policy && done.mutate(policy)}
        >
          {count === 0 ? t('Nothing to change') : t('Change {count}', { count: formatTools(count) })}
        </Button>
      </DialogActions>
    </>
  )
}
